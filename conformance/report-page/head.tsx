import type { JSX } from 'preact';
import type { ReportFile } from '../runner/report/report-schema.ts';
import type { ViewProps } from './place.ts';

const ENDINGS: Readonly<Record<number, string>> = {
  0: 'every required case went well',
  1: 'required cases failed',
  2: 'the request or a case was wrong',
  3: 'the run could not be done',
  4: 'nothing failed; some cases are unstable',
};

/** Who was judged, how it ended, and the counts, which choose what is shown. */
export function Head({ data, report, place, go }: ViewProps): JSX.Element {
  const { implementation, suite, seed, durationMs, cases, exitCode, cutShort } = report;
  return (
    <header>
      <h1>
        {data.reports.length > 1 ? (
          <select
            aria-label="Implementation"
            value={place.report}
            onChange={(event) => go({ report: Number(event.currentTarget.value), open: '' })}
          >
            {data.reports.map((one, index) => (
              <option key={index} value={index}>
                {nameOf(one)}
              </option>
            ))}
          </select>
        ) : (
          nameOf(report)
        )}
      </h1>
      <p class={exitCode === 0 ? 'ending good' : 'ending bad'}>{cutShort ?? ENDINGS[exitCode] ?? `exit ${exitCode}`}</p>
      <p class="faint">
        {suite.name} {suite.version} · {cases.length} cases in {(durationMs / 1000).toFixed(1)} s · seed {seed}
        {implementation.language === undefined ? '' : ` · ${implementation.language}`}
        {report.selection?.whole === true ? '' : ' · a part of the suite'}
        {report.time.stretch >= 1.2 ? ` · busy machine: limits up to ${report.time.stretch} times as long` : ''}
      </p>
      {(report.knownProblems ?? []).map((problem) => (
        <p key={problem} class="bad">
          {problem}
        </p>
      ))}
      <div class="counts" role="group" aria-label="Verdicts">
        {Object.entries(report.summary)
          .filter(([, count]) => count > 0)
          .map(([verdict, count]) => (
            <button
              key={verdict}
              type="button"
              class={`verdict ${verdict}`}
              aria-pressed={place.verdicts.includes(verdict)}
              onClick={() => go({ view: 'cases', open: '', verdicts: toggle(place.verdicts, verdict) })}
            >
              <b>{count}</b> {verdict}
            </button>
          ))}
      </div>
    </header>
  );
}

/** What a report is called. */
export function nameOf({ implementation: { name, version } }: ReportFile): string {
  return `${name} ${version ?? ''}`.trim();
}

function toggle(list: readonly string[], item: string): readonly string[] {
  return list.includes(item) ? list.filter((other) => other !== item) : [...list, item];
}
