import { createHash } from 'node:crypto';
import type { ConcreteCase } from './concrete-case.ts';
import { isolationOf } from './isolation.ts';

/** A part of a run that is divided: this one of that many, counted from 1. */
export interface Shard {
  readonly index: number;
  readonly count: number;
  /** Milliseconds that cases took in an earlier run, by id; they are divided so that every shard takes about as long. */
  readonly past?: ReadonlyMap<string, number> | undefined;
}

/** `I/N` as a shard; undefined when it is none. */
export function parseShard(text: string): Shard | undefined {
  const [index, count] = (/^(\d+)\/(\d+)$/.exec(text)?.slice(1) ?? []).map(Number);
  if (index === undefined || count === undefined || index < 1 || index > count) return undefined;
  return { index, count };
}

/**
 * The cases of a shard, in their order. Each case is in exactly one, on every machine the same. Cases with a past duration are dealt out, the
 * longest first, each to the shard that has least to do; those that run at the same time, alone, or on an implementation of their own are dealt
 * out apart, since they do not wait for each other. Where nothing is known the hash of the id decides, so that a new case moves no other.
 */
export function casesOfShard<Case extends Dealt>(cases: readonly Case[], shard: Shard): readonly Case[] {
  const dealt = dealOut(cases, shard);
  return cases.filter(({ id }) => (dealt.get(id) ?? hashOf(id) % shard.count) === shard.index - 1);
}

/** What all shards of a run have in common: how many they are, the cases they divide, and what they were divided by. */
export function divisionOf(cases: readonly Dealt[], { count, past = new Map() }: Shard): string {
  const ids = cases.map(({ id }) => id).toSorted();
  const known = ids.map((id) => past.get(id) ?? null);
  return createHash('sha256')
    .update(JSON.stringify([count, ids, known]))
    .digest('hex')
    .slice(0, 12);
}

/** A case that was not run there, or was over at once, costs something all the same. */
const LEAST_MS = 5;

type Dealt = Pick<ConcreteCase, 'id' | 'isolation' | 'vantage'>;

/** Shard, counted from 0, of each case whose duration is known. */
function dealOut(cases: readonly Dealt[], { count, past = new Map() }: Shard): ReadonlyMap<string, number> {
  const known = cases
    .flatMap((one) => {
      const ms = past.get(one.id);
      return ms === undefined ? [] : [{ id: one.id, ms: Math.max(ms, LEAST_MS), group: isolationOf(one) }];
    })
    .toSorted((one, other) => other.ms - one.ms || (one.id < other.id ? -1 : 1));
  return new Map([...Map.groupBy(known, ({ group }) => group).values()].flatMap((group) => dealGroup(group, count)));
}

function dealGroup(
  longestFirst: readonly { readonly id: string; readonly ms: number }[],
  count: number,
): readonly (readonly [string, number])[] {
  const loads = Array.from({ length: count }, () => 0);
  return longestFirst.map(({ id, ms }) => {
    const least = loads.indexOf(Math.min(...loads));
    loads[least] = (loads[least] ?? 0) + ms;
    return [id, least] as const;
  });
}

function hashOf(id: string): number {
  return createHash('sha256').update(id).digest().readUInt32BE(0);
}
