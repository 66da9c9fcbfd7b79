import type { CaseResult } from '../schedule/case-result.ts';
import { isFailure, type Check } from '../values/check.ts';
import type { ClauseText } from './events.ts';

/** Words around the failure that the case itself does not know. */
export interface FailureContext {
  readonly clause: (id: string) => ClauseText | undefined;
  /** Flags to repeat the run, with a leading blank. */
  readonly again: string;
}

const SHOWN_CHECKS = 5;
const SHOWN_EVENTS = 40;

/** Everything about a result that did not go well, as lines: clause, place with caret, controls, ledgers, time, how to see it again. */
export function failureText(result: CaseResult, context: FailureContext): string {
  const { case: one } = result;
  return [
    `${result.verdict.toUpperCase().padEnd(5)} ${one.id}${result.round === undefined ? '' : ` (round ${result.round})`}   ${one.layer}, ${result.durationMs} ms`,
    `      ${one.title}`,
    ...clauseLines(result, context),
    ...failedChecks(result).flatMap((check) => checkLines(check, result)),
    ...(failedChecks(result).length === 0 ? [indent(result.reason)] : []),
    ...controlLines(result),
    ...ledgerLines(result),
    ...revisionLines(result),
    ...timeLines(result),
    ...timelineLines(result),
    ...(result.logs.length === 0 || result.verdict === 'pass'
      ? []
      : ['  last lines of the implementation', ...result.logs.map(indent)]),
    ...againLines(result, context),
  ]
    .join('\n')
    .replaceAll(CONTROL, '\uFFFD');
}

// What an implementation answers must not steer the terminal of the reader.
const CONTROL = /[^\P{Cc}\t\n]/gu;

function clauseLines({ case: one }: CaseResult, { clause }: FailureContext): readonly string[] {
  return one.clauses.flatMap(({ id, as }) => {
    const known = clause(id);
    const head = `  clause    ${id} (${as})${known === undefined ? '' : `  ${known.source}`}`;
    return known === undefined ? [head] : [head, `            "${known.statement}"`];
  });
}

/** The checks that made the verdict, the decisive ones first. */
export function failedChecks({ verdict, checks, controls, witnesses }: CaseResult): readonly Check[] {
  if (verdict === 'inconclusive')
    return [...controls.filter(isFailure), ...witnesses.filter((check) => !check.ok)].slice(0, SHOWN_CHECKS);
  return checks.filter(isFailure).slice(0, SHOWN_CHECKS);
}

function checkLines(check: Check, { case: one }: CaseResult): readonly string[] {
  const { line, column, lineText } = one.position(check.at);
  const gutter = `${String(line).padStart(5)} | `;
  return [
    `  ${one.file}:${line}:${column}`,
    `${gutter}${lineText}`,
    `${' '.repeat(gutter.length - 2)}| ${' '.repeat(Math.max(0, column - 1))}^ ${check.what}: expected ${check.expected}, got ${check.actual}`,
  ];
}

function controlLines({ controls, witnesses }: CaseResult): readonly string[] {
  const bad = controls.filter((check) => !check.ok);
  return [
    ...(controls.length === 0
      ? []
      : [`  control   ${bad.length === 0 ? `${controls.length} checks ok` : `failed: ${bad[0]?.what ?? ''}`}`]),
    ...witnesses.map((witness) => `  witness   ${witness.what}  ${witness.actual}  ${witness.ok ? 'ok' : 'missing'}`),
  ];
}

function ledgerLines({ ledgers }: CaseResult): readonly string[] {
  return Object.entries(ledgers).map(([peer, entries]) => `  ledger    ${peer}  got [${entries.join(', ')}]`);
}

function revisionLines({ revisions }: CaseResult): readonly string[] {
  return revisions.map(({ step, configured, answered, again }) => {
    const end = again ? ', so it was asked again' : '';
    return `  revision  ${answered.join(', ')} answered after ${step}, which is about ${configured}${end}`;
  });
}

function timeLines({ stretch, overtimes }: CaseResult): readonly string[] {
  if (stretch === undefined) return [];
  const late = overtimes === undefined ? '' : `; beyond them as written: ${overtimes.join(', ')}`;
  return [`  time      the machine was busy: limits were ${stretch} times as long while this case ran${late}`];
}

function timelineLines({ timeline }: CaseResult): readonly string[] {
  if (timeline.length === 0) return [];
  const shown = timeline
    .slice(0, SHOWN_EVENTS)
    .map(({ atMs, who, what }) => `${atMs.toFixed(1).padStart(8)}  ${who.padEnd(8)} ${what}`);
  const rest = timeline.length > SHOWN_EVENTS ? [`          … ${timeline.length - SHOWN_EVENTS} more`] : [];
  return ['  timeline  (ms)', ...shown, ...rest];
}

function againLines({ case: one, curl }: CaseResult, { again }: FailureContext): readonly string[] {
  return [
    `  again     conform run '${one.id}'${again}`,
    `  by hand   conform up '${one.id}'${again}`,
    ...curl.map((command) => `  outside   ${command}`),
  ];
}

function indent(text: string): string {
  return text
    .split('\n')
    .map((line) => `      ${line}`)
    .join('\n');
}
