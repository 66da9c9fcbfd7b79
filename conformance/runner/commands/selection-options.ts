import { InvalidArgumentError } from 'commander';
import type { Command } from 'commander';
import { parseShard } from '../case/select.ts';
import type { Selection } from '../case/select.ts';
import type { Level } from '../verdict/verdict.ts';

/** The options of `addSelectionOptions` as commander hands them over. */
export interface SelectionOptions {
  readonly clause: readonly string[];
  readonly area: readonly string[];
  readonly level: readonly Level[];
  readonly layer: readonly string[];
  readonly feature: readonly string[];
  readonly skip: readonly string[];
  readonly shard?: { readonly index: number; readonly count: number };
}

/** Adds the options that choose cases, the same for `run`, `list` and `lint`. */
export function addSelectionOptions(command: Command): Command {
  return command
    .option('--clause <id>', 'only cases that cite this clause (repeatable)', collect, [])
    .option('--area <name>', 'only cases of this area of the register (repeatable)', collect, [])
    .option('--level <level>', 'must, should or observe (repeatable)', collectLevel, [])
    .option('--layer <layer>', 'op, wire, trace, property or cluster (repeatable)', collect, [])
    .option('--feature <name>', 'only cases that need this feature (repeatable)', collect, [])
    .option('--skip <pattern>', 'without these cases (repeatable)', collect, [])
    .option('--shard <i/n>', 'only this part of that many', toShard);
}

/** Patterns and options as a selection. */
export function toSelection(patterns: readonly string[], options: SelectionOptions): Selection {
  const { clause, area, level, layer, feature, skip, shard } = options;
  const narrowed = { layers: layer, features: feature, skip };
  return {
    patterns,
    clauses: clause,
    areas: area,
    levels: level,
    ...narrowed,
    ...(shard === undefined ? {} : { shard }),
  };
}

function collect(value: string, earlier: readonly string[]): readonly string[] {
  return [...earlier, value];
}

function collectLevel(value: string, earlier: readonly Level[]): readonly Level[] {
  if (value !== 'must' && value !== 'should' && value !== 'observe')
    throw new InvalidArgumentError('must, should or observe');
  return [...earlier, value];
}

function toShard(value: string): { readonly index: number; readonly count: number } {
  const shard = parseShard(value);
  if (shard === undefined) throw new InvalidArgumentError('I/N with 1 <= I <= N');
  return shard;
}
