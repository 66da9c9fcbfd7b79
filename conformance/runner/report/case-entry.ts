import type { CaseResult } from '../schedule/case-result.ts';
import type { Check } from '../values/check.ts';
import { fileEvidence } from './evidence-files.ts';
import { failedChecks } from './failure-text.ts';
import type { CaseEntry } from './report-schema.ts';
import { ALARMING } from './summary.ts';

/** A result as it stands in a report. */
export function caseEntry(result: CaseResult): CaseEntry {
  const { case: one } = result;
  // What a case records stands under `observed`: there nobody looks for lines.
  const failures = result.verdict === 'observe' ? [] : failedChecks(result).map((check) => checkEntry(check, result));
  const observed = result.checks.filter((check) => check.soft !== undefined || one.level === 'observe');
  return {
    id: one.id,
    suite: one.suite,
    file: one.file,
    ...(ALARMING.has(result.verdict) ? { line: one.position(one.at).line } : {}),
    title: one.title,
    verdict: result.verdict,
    ...(result.reason === '' ? {} : { reason: result.reason }),
    ...(result.fault === undefined ? {} : { fault: result.fault }),
    level: one.level,
    layer: one.layer,
    clauses: one.clauses.map(({ id, as }) => ({ id, as })),
    kills: [...one.kills],
    needs: [...one.needs],
    ...(one.requires === undefined ? {} : { requires: [...one.requires] }),
    durationMs: result.durationMs,
    ...(result.stretch === undefined ? {} : { stretch: result.stretch }),
    ...(result.overtimes === undefined ? {} : { overtimes: [...result.overtimes] }),
    ...(result.attempts === undefined ? {} : { attempts: result.attempts.map(attemptEntry) }),
    ...(result.round === undefined ? {} : { round: result.round }),
    ...(result.instance === undefined ? {} : { instance: result.instance }),
    ...(result.revisions.length === 0
      ? {}
      : { revisions: result.revisions.map((seen) => ({ ...seen, answered: [...seen.answered] })) }),
    ...(failures.length === 0 ? {} : { failures }),
    ...(result.evidence === undefined ? {} : { evidence: evidenceEntry(result) }),
    ...(observed.length === 0 ? {} : { observed: observed.map(observedEntry) }),
  };
}

function evidenceEntry(result: CaseResult): CaseEntry['evidence'] {
  const filed = fileEvidence(result);
  if (filed === undefined) return undefined;
  return {
    exchanges: [...filed.exchanges],
    peers: Object.fromEntries(Object.entries(filed.peers).map(([name, seen]) => [name, [...seen]])),
    traces: { ...filed.traces },
    configurations: [...filed.configurations],
    timeline: [...result.timeline],
    logs: [...result.logs],
    outside: [...result.curl],
  };
}

type AttemptEntry = NonNullable<CaseEntry['attempts']>[number];

function attemptEntry(attempt: CaseResult): AttemptEntry {
  const { verdict, reason, durationMs, stretch } = attempt;
  const failures = failedChecks(attempt).map((check) => checkEntry(check, attempt));
  return {
    verdict,
    ...(reason === '' ? {} : { reason }),
    durationMs,
    ...(stretch === undefined ? {} : { stretch }),
    ...(failures.length === 0 ? {} : { failures }),
  };
}

/** What was seen accuses nobody, so nobody looks for its line: finding the place of each takes reading every such file again. */
function observedEntry({ what, expected, actual }: Check): { what: string; expected: string; actual: string } {
  return { what, expected, actual };
}

function checkEntry(
  check: Check,
  { case: one }: CaseResult,
): { what: string; line: number; expected: string; actual: string } {
  return { what: check.what, line: one.position(check.at).line, expected: check.expected, actual: check.actual };
}
