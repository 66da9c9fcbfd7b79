import { createHash } from 'node:crypto';
import { LRUCache } from 'lru-cache';
import type { Clock } from '../../../base/clock.ts';
import { parseDuration } from '../../../base/duration.ts';
import { compileOrFail } from '../../../cel/compile.ts';
import type { Evaluation, Program, VariableSource } from '../../../cel/program.ts';
import { isTimestamp, isTimeValue } from '../../../cel/values.ts';
import { lastingState, type Services } from '../../../credentials/services.ts';
import type { Received } from '../../../exchange/exchange.ts';
import type { ExtAuthCache } from '../../../resources/proxy-policy/fields/ext-auth.ts';
import { prepareRequest, readsBody } from '../../expression-input.ts';
import type { Decision } from './decision.ts';

/** When a decision stands for other requests too. */
export interface CompiledCache {
  readonly keys: readonly Program[];
  readonly lifetime: Lifetime;
  readonly maxEntries: number;
}

/** Where the decision about a request belongs. */
export interface Place {
  /** The decision, unless there is none or its time is over. */
  readonly recall: (clock: Clock) => Decision | undefined;
  /** Keeps the decision for as long as `ttl` says about the request as it is now; returns that request. */
  readonly keep: (decision: Decision, after: Received) => Promise<Received>;
}

/** EXTAUTH-037 */
const DEFAULT_ENTRIES = 10_000;
/** More than anybody needs; the cache reserves memory for as many as it may hold. */
const MOST_ENTRIES = 1_000_000;
/** Bytes of all decisions of one cache. */
const MOST_BYTES = 64 * 1024 * 1024;
/** Bytes the bookkeeping of one entry is counted with. */
const ENTRY_BYTES = 64;

interface Entry {
  readonly decision: Decision;
  /** On the monotonic clock. */
  readonly until: number;
}

/** Compiles `extAuth.cache`. */
export function compileCache({ key, ttl, maxEntries = DEFAULT_ENTRIES }: ExtAuthCache): CompiledCache {
  return { keys: key.map(compileOrFail), lifetime: lifetimeOf(ttl), maxEntries: Math.min(maxEntries, MOST_ENTRIES) };
}

/** Undefined when a key has no usable value, so nothing is cached. */
export function placeIn(cache: CompiledCache, variables: VariableSource, services: Services): Place | undefined {
  const name = nameOf(cache.keys, variables);
  if (name === undefined) return undefined;
  const decisions = decisionsOf(services, cache);
  return {
    recall: (clock) => {
      const entry = decisions.get(name);
      if (entry === undefined) return undefined;
      // EXTAUTH-029
      if (clock.monotonic() < entry.until) return entry.decision;
      decisions.delete(name);
      return undefined;
    },
    keep: async (decision, after) => {
      if (!decision.reusable) return after;
      const { exchange, variables: now } = await prepareRequest(after, cache.lifetime.readsBody);
      const milliseconds = cache.lifetime.evaluate(now, after.clock);
      if (milliseconds > 0) decisions.set(name, { decision, until: after.clock.monotonic() + milliseconds });
      return exchange;
    },
  };
}

/** EXTAUTH-036: never more than `maxEntries`; what was unused longest goes first (EXTAUTH-043). */
const decisionsOf = lastingState(
  ({ maxEntries }: CompiledCache) =>
    new LRUCache<string, Entry>({
      max: maxEntries,
      maxSize: MOST_BYTES,
      sizeCalculation: ({ decision }) => ENTRY_BYTES + decision.size,
    }),
);

/** EXTAUTH-034, EXTAUTH-035: undefined when one of the keys fails or is no scalar. Hashed, so that a long key costs no memory. */
function nameOf(keys: readonly Program[], variables: VariableSource): string | undefined {
  const hash = createHash('sha256');
  for (const program of keys) {
    const text = keyText(program.evaluate(variables));
    if (text === undefined) return undefined;
    hash.update(`${text.length}:${text}`);
  }
  return hash.digest('base64');
}

/** The value with its type, so that 1 and "1" are two keys. */
function keyText(evaluation: Evaluation): string | undefined {
  if (!evaluation.ok) return undefined;
  const { value } = evaluation;
  if (value === null) return 'null';
  if (value instanceof Uint8Array) return `bytes ${Buffer.from(value).toString('base64')}`;
  if (typeof value === 'string') return `text ${value}`;
  const isScalar = typeof value === 'boolean' || typeof value === 'number' || typeof value === 'bigint';
  return isScalar ? `${typeof value} ${String(value)}` : undefined;
}

interface Lifetime {
  readonly readsBody: boolean;
  /** Milliseconds from now; 0 or less keeps nothing. */
  readonly evaluate: (variables: VariableSource, clock: Clock) => number;
}

/** EXTAUTH-031, EXTAUTH-032, EXTAUTH-033 */
function lifetimeOf(ttl: string): Lifetime {
  const literal = parseDuration(ttl);
  if (literal !== undefined) return { readsBody: false, evaluate: () => literal };
  const program = compileOrFail(ttl);
  return {
    readsBody: readsBody([program], 'request'),
    evaluate: (variables, clock) => millisecondsLeft(program.evaluate(variables), clock),
  };
}

/** A duration counts from now, a timestamp or a number of seconds since 1970 is the moment it ends. */
function millisecondsLeft(evaluation: Evaluation, clock: Clock): number {
  if (!evaluation.ok) return 0;
  const { value } = evaluation;
  if (typeof value === 'string') return parseDuration(value) ?? 0;
  if (typeof value === 'number') return value * 1000 - clock.wall();
  if (!isTimeValue(value)) return 0;
  return isTimestamp(value) ? value.milliseconds - clock.wall() : value.milliseconds;
}
