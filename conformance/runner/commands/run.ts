import path from 'node:path';
import type { Command } from 'commander';
import { DEFAULT_OUT, type ClauseText, type Reporter } from '../report/events.ts';
import { paintFor } from '../report/paint.ts';
import { readReport } from '../report/read-report.ts';
import { ALARMING } from '../report/summary.ts';
import { defaultReporters, reporterKinds } from '../report/registry.ts';
import { runSuite } from '../run.ts';
import { attend } from '../sut/attendant.ts';
import { UsageFault } from '../sut/session.ts';
import { packageRoot } from '../values/package-root.ts';
import { clauseTexts } from './clause-texts.ts';
import { reportFault } from './fault.ts';
import { interruptSignal } from './interrupt.ts';
import { natural, oneOf, positive } from './options.ts';
import { addSelectionOptions, toSelection, type SelectionOptions } from './selection-options.ts';

interface RunFlags extends SelectionOptions {
  readonly impl?: string;
  readonly cases?: string;
  readonly repeat: number;
  readonly seed?: number;
  readonly bail?: true;
  readonly provisional?: true;
  readonly allowUnstable?: true;
  readonly workers?: number;
  readonly http2?: true;
  readonly reporter?: readonly string[];
  readonly out: string;
  readonly dialect?: string;
  readonly known?: string | false;
  readonly verbose?: true;
  readonly failed?: true;
  readonly submit?: true;
  readonly evidence?: true;
  readonly regressions?: string | boolean;
  readonly waitForAttach?: true;
}

/** Adds `conform run`. */
export function addRunCommand(program: Command): void {
  const command = program
    .command('run')
    .description('run cases against an implementation')
    .argument(
      '[pattern...]',
      'a folder or file of cases, the name of a suite, or a glob over case ids; all cases when absent',
    )
    .option('--impl <file>', 'implementation.yaml of the implementation', undefined)
    .option('--cases <path>', 'folder of case files, or one of them, instead of those of this package')
    .option('--failed', 'only the cases that were red in the report of --out')
    .option('--repeat <n>', 'run everything so many times', positive, 1)
    .option('--seed <n>', 'order of the cases; printed when not given', natural)
    .option('--bail', 'stop at the first red case')
    .option('--provisional', 'report red cases as they are, without repeating them alone')
    .option('--allow-unstable', 'unstable cases do not keep the run from ending with 0')
    .option('--workers <n>', 'cases at the same time', positive)
    .option('--http2', 'clients speak HTTP/2 wherever a case leaves that open; cases about HTTP/1.1 are left out')
    .option(
      '--reporter <name>',
      `${Object.keys(reporterKinds).join(', ')} (repeatable)`,
      oneOf(Object.keys(reporterKinds)),
    )
    .option('--out <folder>', 'where reports go', DEFAULT_OUT)
    .option('--submit', 'write result.yaml too, the conformance result to publish')
    .option('--evidence', 'keep what was seen of every case, not only of those that did not go well')
    .option('--dialect <file>', 'names the implementation uses instead of the canonical ones')
    .option('--known <file>', 'list of known failures instead of the one that the manifest names')
    .option('--no-known', 'no list of known failures: every case as it comes out')
    .option(
      '--regressions <folder>',
      'where counterexamples of properties are written as cases (default: beside the cases for the reference, else below --out)',
    )
    .option('--no-regressions', 'write no counterexamples')
    .option(
      '--wait-for-attach',
      'of run.kind url: nothing has a limit, one case at a time; says what it waits for, and Enter goes on',
    )
    .option('--verbose', 'print every case');
  addSelectionOptions(command).action(async (patterns: readonly string[], flags: RunFlags) => {
    process.exitCode = await run(patterns, flags);
  });
}

async function run(patterns: readonly string[], flags: RunFlags): Promise<number> {
  const stop = interruptSignal();
  const attendant = flags.waitForAttach === true ? attend(stop, TERMINAL) : undefined;
  try {
    const end = await runSuite({
      manifestFile: flags.impl ?? defaultManifest(),
      selection: toSelection(await patternsOf(patterns, flags), flags),
      cases: flags.cases,
      seed: flags.seed,
      repeat: flags.repeat,
      bail: flags.bail === true,
      // Who attends has seen it: nothing is repeated.
      provisional: flags.provisional === true || attendant !== undefined,
      allowUnstable: flags.allowUnstable === true,
      evidence: flags.evidence === true,
      workers: flags.workers,
      http2: flags.http2 === true,
      dialect: flags.dialect,
      known: flags.known,
      today: today(),
      out: flags.out,
      regressions: regressionsOf(flags),
      reporters: reportersOf(flags, await clauseTexts()),
      attendant,
      stop,
    });
    return end.exitCode;
  } catch (error) {
    return reportFault(error);
  } finally {
    attendant?.leave();
  }
}

/** What an attendant is told goes beside what reporters say. */
const TERMINAL = { input: process.stdin, write: (text: string) => void process.stderr.write(text) } as const;

/** A counterexample of the reference is a case from now on; one of another implementation is part of its report. */
function regressionsOf({ regressions, impl, out }: RunFlags): string | undefined {
  if (regressions === false) return undefined;
  if (typeof regressions === 'string') return regressions;
  return impl === undefined ? path.join(packageRoot(), 'conformance', 'cases', 'regress') : path.join(out, 'regress');
}

/** This day here as `YYYY-MM-DD`. */
export function today(): string {
  return new Intl.DateTimeFormat('en-CA', { year: 'numeric', month: '2-digit', day: '2-digit' }).format();
}

/** The manifest of the reference, which plugs in like any other implementation. */
export function defaultManifest(): string {
  return path.join(packageRoot(), 'reference-impl', 'implementation.yaml');
}

/** With --failed the ids that were red last time. */
async function patternsOf(patterns: readonly string[], { failed, out }: RunFlags): Promise<readonly string[]> {
  if (failed !== true) return patterns;
  if (patterns.length > 0) throw new UsageFault('--failed chooses the cases itself; leave out the patterns');
  const red = readReport(out).cases.filter(({ verdict }) => ALARMING.has(verdict));
  if (red.length === 0) throw new UsageFault(`${out}/report.json: nothing was red`);
  return [...new Set(red.map(({ id }) => id))];
}

function reportersOf(flags: RunFlags, clause: (id: string) => ClauseText | undefined): readonly Reporter[] {
  const { impl, cases, http2 } = flags;
  const again = `${http2 === true ? ' --http2' : ''}${cases === undefined ? '' : ` --cases ${cases}`}${impl === undefined ? '' : ` --impl ${impl}`}`;
  return reporterNames(flags).flatMap((name) => {
    const kind = reporterKinds[name];
    if (kind === undefined) return [];
    const terminal = process.stdout.isTTY && process.env['CI'] === undefined;
    return [
      kind.create({
        out: flags.out,
        write: print,
        terminal,
        columns: process.stdout.columns ?? 80,
        verbose: flags.verbose === true,
        clause,
        again,
        paint: paintFor(process.stdout),
      }),
    ];
  });
}

/** A result names the report it is made from, so there is no one without the other. */
function reporterNames({ reporter = defaultReporters, submit }: RunFlags): readonly string[] {
  return submit === true ? [...new Set([...reporter, 'json', 'result'])] : reporter;
}

function print(text: string): void {
  process.stdout.write(text);
}
