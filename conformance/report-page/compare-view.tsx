import type { JSX } from 'preact';
import { useMemo, useState } from 'preact/hooks';
import { nameOf } from './head.tsx';
import type { ViewProps } from './place.ts';

const ROWS = 500;

/** The verdicts of all reports side by side: those that differ, or all. */
export function CompareView({ data, go }: ViewProps): JSX.Element {
  const [all, setAll] = useState(false);
  const rows = useMemo(() => {
    const verdicts = data.reports.map(({ cases }) => new Map(cases.map(({ id, verdict }) => [id, verdict])));
    const ids = [...new Set(data.reports.flatMap(({ cases }) => cases.map(({ id }) => id)))].toSorted();
    return ids.map((id) => ({ id, verdicts: verdicts.map((one) => one.get(id)) }));
  }, [data]);
  const shown = rows.filter(({ verdicts }) => all || new Set(verdicts).size > 1);
  return (
    <section aria-label="Comparison">
      <label>
        <input type="checkbox" checked={all} onChange={(event) => setAll(event.currentTarget.checked)} /> also cases in
        which nothing differs
      </label>
      <p class="faint" role="status">
        {shown.length} of {rows.length} cases{shown.length > ROWS ? `, the first ${ROWS} of them` : ''}
      </p>
      <div class="wide" tabIndex={0} role="group" aria-label="Verdicts of each case">
        <table>
          <thead>
            <tr>
              <th>case</th>
              {data.reports.map((report, index) => (
                <th key={index}>{nameOf(report)}</th>
              ))}
            </tr>
          </thead>
          <tbody>
            {shown.slice(0, ROWS).map(({ id, verdicts }) => (
              <tr key={id}>
                <th scope="row">{id}</th>
                {verdicts.map((verdict, index) => (
                  <td key={index}>
                    {verdict === undefined ? (
                      <span class="faint">not run</span>
                    ) : (
                      <button
                        type="button"
                        class={`verdict ${verdict}`}
                        onClick={() => go({ view: 'cases', report: index, open: id })}
                      >
                        {verdict}
                      </button>
                    )}
                  </td>
                ))}
              </tr>
            ))}
          </tbody>
        </table>
      </div>
    </section>
  );
}
