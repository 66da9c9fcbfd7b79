import { readdirSync } from 'node:fs';
import path from 'node:path';
import { InvalidArgumentError } from 'commander';
import type { Command } from 'commander';
import type { Selection } from '../case/select.ts';
import { parseShard, type Shard } from '../case/shard.ts';
import { featureIds } from '../clauses/features.ts';
import { readWholeReport } from '../report/read-report.ts';
import { UsageFault } from '../sut/session.ts';
import { packageRoot } from '../values/package-root.ts';
import type { Level } from '../verdict/verdict.ts';
import { collect, oneOf } from './options.ts';

/** The options of `addSelectionOptions` as commander hands them over. */
export interface SelectionOptions {
  readonly clause: readonly string[];
  readonly area: readonly string[];
  readonly level: readonly Level[];
  readonly layer: readonly string[];
  readonly feature: readonly string[];
  readonly skip: readonly string[];
  readonly shard?: Shard;
  readonly durations?: string;
}

const LEVELS: readonly Level[] = ['must', 'should', 'observe'];
const LAYERS = ['op', 'wire', 'trace', 'property', 'cluster'] as const;

/** Adds the options that choose cases and those that divide them, the same for `run` and `list`. */
export function addSelectionOptions(command: Command): Command {
  return addChoosingOptions(command)
    .option('--shard <i/n>', 'only this part of that many', toShard)
    .option(
      '--durations <report>',
      'of an earlier run: divides by what cases took there, so that all shards take about as long',
    );
}

/** Adds the options that choose cases. */
export function addChoosingOptions(command: Command): Command {
  return command
    .option('--clause <id>', 'only cases that cite this clause (repeatable)', collectClauses, [])
    .option('--area <area>', 'only cases of this area of the register (repeatable)', collectAreas, [])
    .option('--level <level>', 'only must, should or observe (repeatable)', oneOf(LEVELS), [])
    .option('--layer <layer>', 'only op, wire, trace, property or cluster (repeatable)', oneOf(LAYERS), [])
    .option('--feature <name>', 'only cases that need this feature (repeatable)', oneOf(featureIds), [])
    .option('--skip <pattern>', 'without these cases (repeatable)', collectPatterns, []);
}

/** Areas of the register, each with a file of its own. Any other is an InvalidArgumentError. */
export const collectAreas = oneOf(() =>
  readdirSync(path.join(packageRoot(), 'docs/spec/clauses'))
    .filter((name) => name.endsWith('.yaml'))
    .map((name) => name.replace(/\.yaml$/, '')),
);

/** Patterns and options as a selection. */
export function toSelection(patterns: readonly string[], options: SelectionOptions): Selection {
  const { clause, area, level, layer, feature, skip, shard, durations } = options;
  if (durations !== undefined && shard === undefined)
    throw new UsageFault('--durations divides shards: give --shard, too');
  const narrowed = { layers: layer, features: feature, skip };
  return {
    patterns,
    clauses: clause,
    areas: area,
    levels: level,
    ...narrowed,
    ...(shard === undefined
      ? {}
      : { shard: { ...shard, past: durations === undefined ? undefined : pastOf(durations) } }),
  };
}

/** What each case took in the run of a report; of several rounds the longest. */
function pastOf(report: string): ReadonlyMap<string, number> {
  const past = new Map<string, number>();
  for (const { id, durationMs } of readWholeReport(report).cases) past.set(id, Math.max(durationMs, past.get(id) ?? 0));
  return past;
}

/** Ids of clauses are written in capitals. */
function collectClauses(text: string, earlier: readonly string[]): readonly string[] {
  return [...earlier, ...collect(text.toUpperCase())];
}

/** Patterns of an option that may be given several times; a pattern may be the id of a row, which has commas. */
export function collectPatterns(text: string, earlier: readonly string[]): readonly string[] {
  return [...earlier, text];
}

function toShard(value: string): Shard {
  const shard = parseShard(value);
  if (shard === undefined) throw new InvalidArgumentError('I/N with 1 <= I <= N');
  return shard;
}
