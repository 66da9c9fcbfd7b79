import { createHash } from 'node:crypto';
import { LRUCache } from 'lru-cache';
import type { Origin } from '../attachment/policies/effective-policy.ts';
import type { Cancellation } from '../base/cancellation.ts';
import type { Clock } from '../base/clock.ts';
import { shareFetch, type Fetch, type SharedFetch } from './shared-fetch.ts';

/** What somebody lends the proxy for a while: mostly the text of a token. */
export interface Token<Value = string> {
  readonly value: Value;
  /** Milliseconds it is good for from the moment it was asked for; 0 or less when it is good for one use. */
  readonly lifetime: number;
}

/** A token that a request needs. */
export interface WantedToken<Value = string> {
  /** The resource that asks. Its tokens are never given to another, and not pushed out by those of another. */
  readonly place: Origin;
  /**
   * Everything the token depends on: kind, credentials, audience, scope, whose it is. Whatever changes here, as a
   * rotated Secret does, is another token. Only a hash is kept.
   */
  readonly content: readonly string[];
  /** Asks for a new one. What it fails with is told to clients: nothing secret may stand in it. */
  readonly fetch: Fetch<Token<Value>>;
  /** Milliseconds that the fetch may take. */
  readonly patience: number;
  /** Milliseconds before its end at which the token is no longer used. */
  readonly margin: number;
  /**
   * Tokens that are kept for the place, 8,192 when absent; what was unused longest goes first. With 0 every request asks
   * for a token of its own (OAUTH-030).
   */
  readonly most?: number;
}

/**
 * Tokens that are used again until shortly before their end, for all requests and beyond one configuration. Requests that
 * want the same one wait for one fetch. A failure is everybody's who waited, and is not kept.
 */
export interface TokenCache<Value = string> {
  /** Rejects with what the fetch failed with, or with the reason of the cancellation. */
  readonly token: (wanted: WantedToken<Value>, cancellation: Cancellation) => Promise<Value>;
  /** Forgets what places have that are gone, and tokens whose time is over. */
  readonly retain: (exists: (kind: string, namespace: string, name: string) => boolean) => void;
}

export function createTokenCache<Value = string>(clock: Clock): TokenCache<Value> {
  const rooms = new Map<string, Room<Value>>();
  const fetches = new Map<string, SharedFetch<Value>>();

  const roomOf = ({ place, most = MOST_TOKENS }: WantedToken<Value>): Room<Value> => {
    const name = `${place.kind}/${place.namespace}/${place.name}/${most}`;
    const room = rooms.get(name) ?? { place, tokens: new LRUCache({ maxSize: most, sizeCalculation: () => 1 }) };
    rooms.set(name, room);
    return room;
  };

  const startFetch = (key: string, wanted: WantedToken<Value>): SharedFetch<Value> => {
    const { fetch, patience, margin } = wanted;
    const askedAt = clock.monotonic();
    const fetchAndKeep = async (cancellation: Cancellation): Promise<Value> => {
      const { value, lifetime } = await fetch(cancellation);
      const until = askedAt + lifetime - margin;
      if (cancellation.reason === undefined && clock.monotonic() < until)
        roomOf(wanted).tokens.set(key, { value, until });
      return value;
    };
    const over = (): void => {
      if (fetches.get(key) === started) fetches.delete(key);
    };
    const started = shareFetch(fetchAndKeep, { clock, patience, over });
    fetches.set(key, started);
    return started;
  };

  const fetchAlone = ({ fetch, patience }: WantedToken<Value>, cancellation: Cancellation): Promise<Value> => {
    const fetchValue = async (shared: Cancellation): Promise<Value> => (await fetch(shared)).value;
    return shareFetch(fetchValue, { clock, patience, over: () => {} }).wait(cancellation);
  };

  return {
    token: async (wanted, cancellation) => {
      if (cancellation.reason !== undefined) throw cancellation.reason;
      if (wanted.most === 0) return fetchAlone(wanted, cancellation);
      const key = keyOf(wanted);
      const kept = roomOf(wanted).tokens.get(key);
      if (kept !== undefined && clock.monotonic() < kept.until) return kept.value;
      return (fetches.get(key) ?? startFetch(key, wanted)).wait(cancellation);
    },
    retain: (exists) => {
      for (const [name, { place, tokens }] of rooms) {
        const isGone = !exists(place.kind, place.namespace, place.name);
        for (const [key, { until }] of tokens) if (until <= clock.monotonic()) tokens.delete(key);
        if (isGone || tokens.size === 0) rooms.delete(name);
      }
    },
  };
}

/** The tokens of one place by key, as many as it may keep. */
interface Room<Value> {
  readonly place: Origin;
  readonly tokens: LRUCache<string, Kept<Value>>;
}

interface Kept<Value> {
  readonly value: Value;
  /** On the monotonic clock. */
  readonly until: number;
}

/** OAUTH-029. Given as a size, not as a number, since the cache reserves memory for a number of entries. */
const MOST_TOKENS = 8192;

function keyOf({ place, content }: WantedToken<unknown>): string {
  const parts = [place.kind, place.namespace, place.name, ...content];
  return createHash('sha256').update(JSON.stringify(parts)).digest('base64');
}
