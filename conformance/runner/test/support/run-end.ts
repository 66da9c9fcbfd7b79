import type { RunEnd } from '../../report/events.ts';
import { summarize } from '../../report/summary.ts';
import type { CaseResult } from '../../schedule/case-result.ts';

/** The end of a quiet run of the whole suite with these results. */
export function runEndOf(results: readonly CaseResult[], more: Partial<RunEnd> = {}): RunEnd {
  return {
    time: {
      stretch: 1,
      overtimes: 0,
      waitedMs: 1000,
      countedMs: 1000,
      lostMs: { runner: 0, programs: 0, machine: 0, heartbeat: 0 },
    },
    implementation: { name: 'tiny', version: '1.0' },
    manifest: 'implementation.yaml',
    selection: { whole: true },
    seed: 7,
    total: results.length,
    workers: 2,
    slowFirst: 0,
    parallel: { most: 2, least: 1, by: 'machine' },
    results,
    durationMs: 1234.5,
    summary: summarize(results),
    exitCode: 0,
    crashes: 0,
    ...more,
  };
}
