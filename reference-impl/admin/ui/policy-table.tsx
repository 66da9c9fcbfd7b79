import type { JSX } from 'preact';
import { objectMember } from '../../base/members.ts';
import { Origins } from './origins.tsx';
import { readOrigins } from './outcome.ts';
import type { Go } from './place.ts';

/** A merged policy: each field, who said it, and what is said. */
export function PolicyTable({
  policy,
  sources,
  go,
}: {
  readonly policy: unknown;
  readonly sources: unknown;
  readonly go: Go;
}): JSX.Element {
  const fields: [string, unknown][] = typeof policy === 'object' && policy !== null ? Object.entries(policy) : [];
  if (fields.length === 0) return <p class="faint">Nothing is said here.</p>;
  return (
    <dl class="policy">
      {fields.map(([field, value]) => {
        const origins = readOrigins(objectMember(sources, field));
        return (
          <div key={field}>
            <dt>
              <b>{field}</b>{' '}
              <span class="faint">
                {origins.length === 0 ? 'from the kind of the backend' : <Origins origins={origins} go={go} />}
              </span>
            </dt>
            <dd>
              <pre tabIndex={0} aria-label={field}>
                {JSON.stringify(value, undefined, 2)}
              </pre>
            </dd>
          </div>
        );
      })}
    </dl>
  );
}
