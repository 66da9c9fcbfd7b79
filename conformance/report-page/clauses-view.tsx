import type { JSX } from 'preact';
import { useEffect, useMemo } from 'preact/hooks';
import type { CaseEntry } from '../runner/report/report-schema.ts';
import { areaOf } from './choose-cases.ts';
import type { ViewProps } from './place.ts';

type Polarity = 'positive' | 'negative';

/** The sentences of the documents, each with what the cases of either polarity came to. */
export function ClausesView({ data, report, place, go }: ViewProps): JSX.Element {
  const cited = useMemo(() => citations(report.cases), [report]);
  const area = place.area === '' ? areaOf(place.clause) : place.area;
  useEffect(() => document.querySelector('.clause.open')?.scrollIntoView({ block: 'center' }), [place.clause]);
  return (
    <section aria-label="Clauses">
      {data.areas.map(({ area: name, title }) => {
        const clauses = Object.entries(data.clauses).filter(([id]) => areaOf(id) === name);
        const shown = clauses.filter(([id]) => cited.has(id));
        return (
          <details key={name} open={area === name}>
            <summary>
              <span class="area">
                {title} <span class="faint">{name}</span>
              </span>{' '}
              <Bar cited={cited} ids={clauses.map(([id]) => id)} />
              <span class="faint">
                {' '}
                {shown.length} of {clauses.length} clauses
              </span>
            </summary>
            <dl>
              {clauses.map(([id, { statement, source, level }]) => (
                <div key={id} class={place.clause === id ? 'clause open' : 'clause'}>
                  <dt>
                    <button
                      type="button"
                      class="link"
                      onClick={() => go({ view: 'cases', clause: id, area: name, open: '' })}
                    >
                      {id}
                    </button>{' '}
                    <span class="faint">
                      {level} · {source}
                    </span>{' '}
                    <Sides entries={cited.get(id) ?? []} />
                  </dt>
                  <dd>{statement}</dd>
                </div>
              ))}
            </dl>
          </details>
        );
      })}
    </section>
  );
}

interface Citing {
  readonly as: Polarity;
  readonly entry: CaseEntry;
}

function citations(cases: readonly CaseEntry[]): ReadonlyMap<string, readonly Citing[]> {
  const all = cases.flatMap((entry) => entry.clauses.map(({ id, as }) => ({ id, as, entry })));
  return Map.groupBy(all, ({ id }) => id);
}

const RED: ReadonlySet<string> = new Set(['fail', 'inconclusive', 'stale', 'error']);

/** What a clause came to: red when a case of it is, green when cases of it passed and none is red. */
function stateOf(entries: readonly Citing[]): 'fail' | 'pass' | 'none' {
  if (entries.some(({ entry }) => RED.has(entry.verdict))) return 'fail';
  return entries.some(({ entry }) => entry.verdict === 'pass') ? 'pass' : 'none';
}

function Sides({ entries }: { readonly entries: readonly Citing[] }): JSX.Element {
  return (
    <>
      {(['positive', 'negative'] as const).map((side) => {
        const own = entries.filter(({ as }) => as === side);
        const passed = own.filter(({ entry }) => entry.verdict === 'pass').length;
        return (
          <span key={side} class={`side ${stateOf(own)}`}>
            {side} {passed}/{own.length}
          </span>
        );
      })}
    </>
  );
}

function Bar({
  cited,
  ids,
}: {
  readonly cited: ReadonlyMap<string, readonly Citing[]>;
  readonly ids: readonly string[];
}): JSX.Element {
  const count = (state: string): number => ids.filter((id) => stateOf(cited.get(id) ?? []) === state).length;
  const [pass, fail] = [count('pass'), count('fail')];
  return (
    <span
      class="bar"
      role="img"
      aria-label={`${pass} clauses green, ${fail} red, ${ids.length - pass - fail} without a verdict`}
    >
      <i class="pass" style={{ flex: pass }} />
      <i class="fail" style={{ flex: fail }} />
      <i class="none" style={{ flex: ids.length - pass - fail }} />
    </span>
  );
}
