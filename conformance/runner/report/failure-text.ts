import type { Role } from '../sut/instance.ts';
import { OUTSIDE_PORT } from '../schedule/outside.ts';
import type { CaseResult } from '../schedule/case-result.ts';
import { isFailure, type Check } from '../values/check.ts';
import type { ClauseText, Paint, Style } from './events.ts';
import { fileEvidence, folderOf, type FiledExchange, type FiledMessage, type Text } from './evidence-files.ts';
import { withoutCredentials } from './without-credentials.ts';

/** Words around the failure that the case itself does not know. */
export interface FailureContext {
  readonly clause: (id: string) => ClauseText | undefined;
  /** Flags to repeat the run, with a leading blank. */
  readonly again: string;
  /** Folder of the reports, where there are files beside the text. */
  readonly out?: string | undefined;
  /** Nothing is shortened. */
  readonly full?: boolean;
  readonly paint?: Paint;
}

/** A line, and what a terminal makes of it. */
type Line = string | { readonly style: Style; readonly text: string };

const SHOWN_CHECKS = 5;
const SHOWN_EVENTS = 40;
const SHOWN_EXCHANGES = 3;
const SHOWN_LOGS = 20;
const SHOWN_BODY = 1000;

/** Everything about a result that did not go well, as lines: clause, place with caret, exchanges, controls, ledgers, time, how to see it again. */
export function failureText(result: CaseResult, context: FailureContext): string {
  const { paint = (_, text) => text } = context;
  const lines: readonly Line[] = [
    ...headLines(result),
    ...clauseLines(result, context),
    ...failedChecks(result).flatMap((check) => checkLines(check, result)),
    ...(failedChecks(result).length === 0 ? [indent(result.reason)] : []),
    ...exchangeLines(result, context),
    ...controlLines(result),
    ...attemptLines(result),
    ...ledgerLines(result),
    ...revisionLines(result),
    ...instanceLines(result),
    ...timeLines(result),
    ...timelineLines(result, context),
    ...logLines(result, context),
    ...fileLines(result, context),
    ...againLines(result, context),
  ];
  const text = lines.map((line) => (typeof line === 'string' ? clean(line) : paint(line.style, clean(line.text))));
  return withoutCredentials(text.join('\n'));
}

// What an implementation answers must not steer the terminal of the reader.
const CONTROL = /[^\P{Cc}\t\n]/gu;

function clean(text: string): string {
  return text.replaceAll(CONTROL, '\uFFFD');
}

function headLines({ case: one, verdict, round, durationMs }: CaseResult): readonly Line[] {
  const times = round === undefined ? '' : ` (round ${round})`;
  const text = `${verdict.toUpperCase().padEnd(5)} ${one.id}${times}   ${one.layer}, ${durationMs} ms`;
  return [{ style: 'bad', text }, `      ${one.title}`];
}

/** Every clause once, also where a case stands on it from both sides. */
function clauseLines({ case: one }: CaseResult, { clause }: FailureContext): readonly Line[] {
  return [...Map.groupBy(one.clauses, ({ id }) => id)].flatMap(([id, cited]): readonly Line[] => {
    const known = clause(id);
    const sides = cited.map(({ as }) => as).join(', ');
    const head = `  clause    ${id} (${sides})${known === undefined ? '' : `  ${known.source}`}`;
    return known === undefined ? [head] : [head, { style: 'quote', text: `            "${known.statement}"` }];
  });
}

/** The checks that made the verdict, the decisive ones first. */
export function failedChecks({ verdict, checks, controls, witnesses }: CaseResult): readonly Check[] {
  if (verdict === 'inconclusive')
    return [...controls.filter(isFailure), ...witnesses.filter((check) => !check.ok)].slice(0, SHOWN_CHECKS);
  const first =
    verdict === 'unstable' ? [...controls.filter(isFailure), ...witnesses.filter((check) => !check.ok)] : [];
  return [...first, ...checks.filter(isFailure)].slice(0, SHOWN_CHECKS);
}

function checkLines(check: Check, { case: one }: CaseResult): readonly Line[] {
  const { line, column, lineText } = one.position(check.at);
  const gutter = `${String(line).padStart(5)} | `;
  const caret = `${' '.repeat(gutter.length - 2)}| ${' '.repeat(Math.max(0, column - 1))}^`;
  return [
    `  ${one.file}:${line}:${column}`,
    `${gutter}${lineText}`,
    { style: 'bad', text: `${caret} ${check.what}: expected ${check.expected}, got ${check.actual}` },
  ];
}

/** The questions of the steps that are red and what came back; all of them where nothing is shortened. */
function exchangeLines(result: CaseResult, { full }: FailureContext): readonly Line[] {
  const all = fileEvidence(result)?.exchanges ?? [];
  const red = new Set(failedChecks(result).flatMap(({ what }) => /^step ([^:\s]+)/.exec(what)?.[1] ?? []));
  const chosen =
    full === true ? all : all.filter(({ step }) => red.size === 0 || red.has(step)).slice(-SHOWN_EXCHANGES);
  return chosen.flatMap((exchange) => oneExchange(exchange, full === true));
}

function oneExchange({ step, request, answer, failure }: FiledExchange, full: boolean): readonly Line[] {
  const ended = failure === undefined ? '' : `  (${failure})`;
  return [
    `  request   ${step}`,
    ...messageLines(request, full),
    `  answer    ${step}${ended}`,
    ...messageLines(answer, full),
  ];
}

function messageLines({ head, body, base64, bytes }: FiledMessage, full: boolean): readonly Line[] {
  const headed = head === '' ? ['(nothing came)'] : head.split('\n');
  const content = body === undefined ? base64 : body;
  const shown = content === undefined ? [] : ['', ...shownText(content, full)];
  const coded = base64 === undefined ? [] : [`(${bytes} bytes that are no text, as base64)`];
  return [...headed, ...coded, ...shown].map((line) => `            ${line}`);
}

function shownText(text: Text, full: boolean): readonly string[] {
  if (typeof text !== 'string') return [`(${text.bytes} bytes in ${text.file})`];
  if (full || text.length <= SHOWN_BODY) return text.split('\n');
  return [...text.slice(0, SHOWN_BODY).split('\n'), `… ${text.length - SHOWN_BODY} characters more`];
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

function attemptLines({ attempts = [], verdict }: CaseResult): readonly string[] {
  const seen = attempts.map((attempt) => `${attempt.verdict} in ${attempt.durationMs} ms`);
  if (seen.length === 0) return [];
  const meaning = verdict === 'unstable' ? 'nobody is accused' : 'the verdict stands';
  return [`  alone     ${seen.join(', then ')}: ${meaning}`];
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

function instanceLines({ instance }: CaseResult): readonly string[] {
  return instance === undefined || instance === 'shared' ? [] : [`  instance  ${INSTANCES[instance]}`];
}

const INSTANCES: Readonly<Record<Exclude<Role, 'shared'>, string>> = {
  exclusive: 'another one of the implementation, for cases that nothing else may send to',
  own: 'one of the implementation for this case alone',
  alone: 'one of the implementation for cases that are repeated alone',
};

function timeLines({ stretch, overtimes }: CaseResult): readonly string[] {
  if (stretch === undefined) return [];
  const late = overtimes === undefined ? '' : `; beyond them as written: ${overtimes.join(', ')}`;
  return [`  time      the machine was busy: limits were ${stretch} times as long while this case ran${late}`];
}

function timelineLines({ timeline }: CaseResult, { full }: FailureContext): readonly Line[] {
  if (timeline.length === 0) return [];
  const limit = full === true ? timeline.length : SHOWN_EVENTS;
  const shown = timeline
    .slice(0, limit)
    .map(({ atMs, who, what }) => `${atMs.toFixed(1).padStart(8)}  ${who.padEnd(8)} ${what}`);
  const rest = timeline.length > limit ? [`          … ${timeline.length - limit} more`] : [];
  return ['  timeline  (ms)', ...shown, ...rest];
}

function logLines({ logs, verdict }: CaseResult, { full }: FailureContext): readonly Line[] {
  if (logs.length === 0 || verdict === 'pass') return [];
  const shown = full === true ? logs : logs.slice(-SHOWN_LOGS);
  return [
    '  log of the implementation meanwhile',
    ...shown.map((text): Line => ({ style: 'faint', text: indent(text) })),
  ];
}

/** Where the rest is: the folder of the case, with the configuration as it was delivered. */
function fileLines(result: CaseResult, { out, full }: FailureContext): readonly Line[] {
  const filed = fileEvidence(result);
  if (filed === undefined || out === undefined) return [];
  const { configurations } = filed;
  const config = configurations.map((file) => `  config    ${out}/${file}`);
  return full === true ? config : [...config, `  all       ${out}/${folderOf(result)}/failure.txt`];
}

function againLines({ case: one, curl }: CaseResult, { again }: FailureContext): readonly Line[] {
  const usesPort = curl.some((command) => command.includes(`:${OUTSIDE_PORT}`));
  return [
    `  again     conform run '${one.id}'${again}`,
    `  by hand   conform up '${one.id}'${again}${usesPort ? ` --port ${OUTSIDE_PORT}` : ''}`,
    ...curl.map((command): Line =>
      command.startsWith('#') ? `  outside   ${command}` : { style: 'command', text: `  outside   ${command}` },
    ),
  ];
}

function indent(text: string): string {
  return text
    .split('\n')
    .map((line) => `      ${line}`)
    .join('\n');
}
