import type { JSX } from 'preact';
import { useEffect, useMemo } from 'preact/hooks';
import type { ViewProps } from './place.ts';

/** Which cases would notice which defect, and whether they ran: a defect whose cases all stayed unjudged is not ruled out. */
export function DefectsView({ report, place, go }: ViewProps): JSX.Element {
  const rows = useMemo(() => {
    const all = report.cases.flatMap((entry) => entry.kills.map((defect) => ({ defect, entry })));
    return [...Map.groupBy(all, ({ defect }) => defect)].toSorted(([one], [other]) => (one < other ? -1 : 1));
  }, [report]);
  useEffect(() => document.querySelector('tr.open')?.scrollIntoView({ block: 'center' }), [place.defect]);
  const judged = rows.filter(([, killers]) => killers.some(({ entry }) => entry.verdict === 'pass')).length;
  return (
    <section aria-label="Defects">
      <p>
        A passing case rules out the defects that it names. {judged} of {rows.length} named defects are ruled out by a
        case that passed here.
      </p>
      <table>
        <thead>
          <tr>
            <th>defect</th>
            <th>cases</th>
          </tr>
        </thead>
        <tbody>
          {rows.map(([defect, killers]) => (
            <tr key={defect} class={defect === place.defect ? 'open' : undefined}>
              <th scope="row">{defect}</th>
              <td>
                {killers.map(({ entry }) => (
                  <button
                    key={`${entry.id} ${entry.round ?? ''}`}
                    type="button"
                    class={`dot verdict ${entry.verdict}`}
                    title={`${entry.verdict}: ${entry.id}`}
                    aria-label={`${entry.verdict}: ${entry.id}`}
                    onClick={() => go({ view: 'cases', defect, open: entry.id })}
                  />
                ))}
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </section>
  );
}
