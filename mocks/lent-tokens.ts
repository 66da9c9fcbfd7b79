import { createHash } from 'node:crypto';
import { parseJsonObject } from './json.ts';
import type { Json } from './json.ts';

// The stand-ins for clouds remember nothing: what they lend says itself what was asked for, so that a case can read it where it arrives.

/** Keys of cloud A that were lent for a while. */
export interface LentKeys {
  readonly accessKey: string;
  readonly secretKey: string;
  /** JSON in base64url: for what the keys were lent. */
  readonly sessionToken: string;
}

/** The keys for what was asked. */
export function lendKeys(what: Json): LentKeys {
  return keysOf(Buffer.from(JSON.stringify(what)).toString('base64url'));
}

/** The keys that go with a session token; undefined for a text that is none. */
export function lentKeys(sessionToken: string): LentKeys | undefined {
  const what = parseJsonObject(Buffer.from(sessionToken, 'base64url').toString());
  return what === undefined ? undefined : keysOf(sessionToken);
}

function keysOf(sessionToken: string): LentKeys {
  const digest = (what: string): string => createHash('sha256').update(`${what} ${sessionToken}`).digest('hex');
  return { accessKey: `ASIA${digest('access').slice(0, 16).toUpperCase()}`, secretKey: digest('secret'), sessionToken };
}

/** A bearer token that says what was asked for: the words with `~` between them, without what a token may not have. */
export function bearerToken(...words: readonly string[]): string {
  return words.map((word) => word.replaceAll(/[^\w.+/@:-]+/g, '-')).join('~');
}
