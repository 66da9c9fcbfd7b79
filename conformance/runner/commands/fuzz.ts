import { randomInt } from 'node:crypto';
import path from 'node:path';
import { Argument, InvalidArgumentError, type Command } from 'commander';
import { FAMILIES, fuzzFamily, type Family, type FuzzResult } from '../fuzz/fuzz-family.ts';
import { parseDuration } from '../sut/duration.ts';
import { loadManifest } from '../sut/manifest.ts';
import { EXIT, type ExitCode } from '../verdict/exit-code.ts';
import { reportFault } from './fault.ts';
import { interruptSignal } from './interrupt.ts';
import { natural } from './options.ts';
import { defaultManifest } from './run.ts';

interface FuzzFlags {
  readonly impl?: string;
  readonly time: number;
  readonly seed?: number;
  readonly out: string;
  readonly bail?: true;
}

/** Adds `conform fuzz FAMILY`: random search for what contradicts a model of the documents. */
export function addFuzzCommand(program: Command): void {
  program
    .command('fuzz')
    .description('search at random for what contradicts the documents; a counterexample becomes a case')
    .addArgument(new Argument('<family>', 'what to draw').choices(Object.keys(FAMILIES)))
    .option('--impl <file>', 'implementation.yaml of the implementation')
    .option('--time <duration>', 'how long to search, for example 30s or 5m', milliseconds, 10_000)
    .option('--seed <n>', 'draws the same again', natural)
    .option('--out <folder>', 'where counterexamples are written', 'reports/fuzz')
    .option('--bail', 'end at the first counterexample, whatever vantages are left')
    .action(async (family: Family, flags: FuzzFlags) => {
      process.exitCode = await fuzz(family, flags);
    });
}

async function fuzz(
  family: Family,
  { impl, time, seed = randomInt(2 ** 31), out, bail }: FuzzFlags,
): Promise<ExitCode> {
  try {
    const stop = interruptSignal();
    const manifest = loadManifest(impl ?? defaultManifest());
    const results = await fuzzFamily({ family, manifest, forMs: time, seed, out: path.resolve(out), bail, stop });
    process.stdout.write(results.map((one) => resultText(one)).join(''));
    const found = results.some((one) => 'result' in one && one.result.verdict === 'fail');
    if (found) process.stdout.write(`run it again: conform run --cases ${out}${impl ? ` --impl ${impl}` : ''}\n`);
    return stop.aborted ? EXIT.broken : exitCodeOf(results);
  } catch (error) {
    return reportFault(error);
  }
}

function resultText(one: FuzzResult): string {
  const { id, clauses } = one.case;
  if ('lacks' in one) return `${id}: not offered, needs ${one.lacks.join(', ')}\n`;
  const { verdict, reason, checks, durationMs } = one.result;
  const judged = [...new Set(clauses.map((clause) => clause.id))].join(', ');
  const what = reason === '' ? (checks[0]?.what ?? '') : reason;
  return `${verdict}  ${id}: ${what}\n      ${(durationMs / 1000).toFixed(1)} s, clauses ${judged}\n`;
}

/** A search that judged nothing has shown nothing. */
function exitCodeOf(results: readonly FuzzResult[]): ExitCode {
  const ended = results.flatMap((one) => ('result' in one ? [one.result] : []));
  if (ended.some(({ verdict }) => verdict === 'fail')) return EXIT.failed;
  const shown = ended.every(({ verdict, checks }) => verdict === 'pass' && checks.every(({ ok }) => ok));
  return ended.length > 0 && shown ? EXIT.passed : EXIT.broken;
}

function milliseconds(text: string): number {
  const value = parseDuration(text);
  if (value === undefined || value <= 0) throw new InvalidArgumentError('a duration like 500ms, 30s or 5m is wanted');
  return value;
}
