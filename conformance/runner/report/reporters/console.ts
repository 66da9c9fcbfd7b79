import { partsByWhole } from '../../clauses/features.ts';
import type { CaseResult } from '../../schedule/case-result.ts';
import { DEFAULT_OUT, type ReporterKind, type ReporterOptions, type RunEnd, type RunStart } from '../events.ts';
import { failureText } from '../failure-text.ts';
import { busyLine, workersLine } from '../run-time.ts';
import { ALARMING, summaryLine } from '../summary.ts';

const REDRAW_MS = 100;
const PLAIN_EVERY = 100;

/** For people: one live line on a terminal, plain lines elsewhere, and every failure as it happens. */
export const consoleReporter: ReporterKind = {
  name: 'console',
  text: 'progress and failures for people',
  create: (options) => createConsole(options),
};

function createConsole(options: ReporterOptions): ReturnType<ReporterKind['create']> {
  const live = createLiveLine(options);
  let run: RunStart | undefined;
  let began = performance.now();
  return {
    started: (start) => {
      run = start;
      began = performance.now();
      const { name, version } = start.implementation;
      const where = start.namespaces === undefined ? '' : ` · namespaces ${start.namespaces}*`;
      options.write(
        `${name} ${version ?? ''} · ${start.total} cases · seed ${start.seed} · ${start.workers} workers${where}\n`,
      );
    },
    finished: (result, done) => {
      if (worthPrinting(result, options)) {
        live.clear();
        options.write(`${failureText(result, options)}\n\n`);
      } else if (options.verbose) {
        live.clear();
        options.write(
          `${result.verdict.padEnd(12)} ${result.case.id}  ${result.durationMs} ms${result.reason === '' ? '' : `  ${result.reason}`}\n`,
        );
      }
      if (run !== undefined) live.show(progressLine(done, run, performance.now() - began), done);
    },
    repeating: (count) => {
      live.clear();
      options.write(`${count} ${count === 1 ? 'case has' : 'cases have'} to be seen again, each alone\n`);
    },
    ended: (end) => {
      live.clear();
      options.write(closing(end, options));
    },
  };
}

function worthPrinting(result: CaseResult, { verbose }: ReporterOptions): boolean {
  return ALARMING.has(result.verdict) || (verbose && result.verdict === 'known');
}

/** done/total, rate and time left. */
export function progressLine(done: number, { total }: RunStart, elapsedMs: number): string {
  const rate = elapsedMs === 0 ? 0 : (done / elapsedMs) * 1000;
  const left = rate === 0 ? '?' : `${Math.ceil((total - done) / rate)} s`;
  return `${done}/${total}  ${rate.toFixed(0)} cases/s  ${left} left`;
}

function closing(end: RunEnd, options: ReporterOptions): string {
  const rate = end.durationMs === 0 ? 0 : (end.results.length / end.durationMs) * 1000;
  const lines = [
    ...(end.cutShort === undefined
      ? []
      : [`cut short: ${end.cutShort} (${end.results.length} of ${end.total} cases have a verdict)`]),
    ...(end.problems ?? []),
    ...skipReasons(end),
    ...wholesWithoutParts(end),
    ...unstableLines(end),
    ...sharedFaults(end),
    ...[busyLine(end.time), workersLine(end.parallel)].filter((line) => line !== undefined),
    ...(end.crashes === 0 ? [] : [`the implementation crashed ${end.crashes} time(s)`]),
    `${summaryLine(end.summary)} in ${(end.durationMs / 1000).toFixed(1)} s (${rate.toFixed(0)} cases/s), seed ${end.seed}`,
    `report in ${options.out}`,
    ...redIds(end, options),
  ];
  return `${lines.join('\n')}\n`;
}

/** What was red once more, where a reader of a long log looks first. */
function redIds({ results }: RunEnd, { out, again, paint = (_, text) => text }: ReporterOptions): readonly string[] {
  const red = results.filter(({ verdict }) => ALARMING.has(verdict));
  if (red.length === 0) return [];
  const lines = red.map(({ case: one, verdict, round }) => {
    const times = round === undefined ? '' : ` (round ${round})`;
    return paint('bad', `  ${verdict.padEnd(12)} ${one.id}${times}`);
  });
  return [
    `${red.length} not in order:`,
    ...lines,
    `once more: conform run --failed${again}${out === DEFAULT_OUT ? '' : ` --out ${out}`}`,
  ];
}

/** Cases that came out now this way, now that way: they say nothing about the implementation, and nobody may call them green. */
function unstableLines({ results }: RunEnd): readonly string[] {
  return results
    .filter(({ verdict }) => verdict === 'unstable')
    .map((result) => `unstable: ${result.case.id}: ${result.reason}`);
}

/** Why cases were left out, once per reason. */
function skipReasons({ results }: RunEnd): readonly string[] {
  const reasons = results.filter(({ verdict }) => verdict === 'skipped').map(({ reason }) => reason);
  return [...new Set(reasons)].map((reason) => `skipped: ${reason}`);
}

/** Features that claim nothing as they are declared: whoever names one may not know that its parts are named beside it. */
function wholesWithoutParts({ results }: RunEnd): readonly string[] {
  const lacking = results
    .filter(({ verdict }) => verdict === 'unsupported')
    .map(({ case: { needs }, reason }) => ({ needs, undeclared: reason.replace(/^needs /, '').split(', ') }));
  const has = new Set(results.filter(({ verdict }) => verdict !== 'unsupported').flatMap((one) => one.case.needs));
  return [...partsByWhole()].flatMap(([whole, parts]) => {
    const left = lacking.filter(({ undeclared }) => parts.some((part) => undeclared.includes(part)));
    const isDeclared =
      has.has(whole) || left.some((one) => one.needs.includes(whole) && !one.undeclared.includes(whole));
    if (left.length === 0 || !isDeclared || parts.some((part) => has.has(part))) return [];
    return [
      `${whole} is declared and none of its parts: ${left.length === 1 ? '1 case needs' : `${left.length} cases need`} ${parts.join(' or ')}`,
    ];
  });
}

/** What of the implementation broke several cases, once per reason: among thousands of red lines nobody finds it. */
function sharedFaults({ results }: RunEnd): readonly string[] {
  const broken = results.filter(({ verdict, fault }) => verdict === 'error' && fault === 'implementation');
  return [...Map.groupBy(broken, ({ reason }) => reason)]
    .filter(([, { length }]) => length > 1)
    .map(([reason, { length }]) => `${length} cases have no verdict: ${reason}`);
}

function createLiveLine({ terminal, columns, write }: ReporterOptions): {
  show: (text: string, done: number) => void;
  clear: () => void;
} {
  let drawn = false;
  let last = -Infinity;
  const clear = (): void => {
    if (drawn) write('\r\u001B[2K');
    drawn = false;
  };
  const show = (text: string, done: number): void => {
    const now = performance.now();
    if (!terminal) {
      if (done % PLAIN_EVERY === 0) write(`${text}\n`);
    } else if (now - last >= REDRAW_MS) {
      last = now;
      clear();
      write(text.slice(0, Math.max(10, columns - 1)));
      drawn = true;
    }
  };
  return { show, clear };
}
