import type { JSX } from 'preact';
import { objectMember, stringMember } from '../../base/members.ts';
import type { EventRow } from '../../trace/event-row.ts';
import type { Go } from './place.ts';
import { PolicyTable } from './policy-table.tsx';

/** The effective policies of a trace, phase after phase, and where each field comes from. */
export function SelectionsView({ rows, go }: { readonly rows: readonly EventRow[]; readonly go: Go }): JSX.Element {
  const selections = rows.filter(({ type }) => type === 'policySelection');
  if (selections.length === 0) return <p>The request has come to no policy.</p>;
  return (
    <>
      {selections.map(({ event }, index) => {
        const message = objectMember(event, 'message');
        return (
          <section key={index}>
            <h3>Phase {stringMember(message, 'phase')}</h3>
            <PolicyTable
              policy={objectMember(message, 'effectivePolicy')}
              sources={objectMember(message, 'sources')}
              go={go}
            />
          </section>
        );
      })}
    </>
  );
}
