import type { Peers } from './peers.ts';

/** Tokens by name, as text; null where the case has none. */
export type Tokens = Readonly<Record<string, string | null>>;

/**
 * Has every token of a case signed by the peer it names. `tokens` are interpolated already. Rejects with PeerError for
 * a token a peer cannot sign, with RangeError for a peer that is not there.
 */
export async function mintTokens(tokens: Readonly<Record<string, unknown>>, peers: Peers): Promise<Tokens> {
  const minted = Object.entries(tokens).map(async ([name, token]) => [name, await mintToken(token, peers)] as const);
  return Object.fromEntries(await Promise.all(minted));
}

async function mintToken(token: unknown, peers: Peers): Promise<string | null> {
  if (token === null || token === undefined) return null;
  if (typeof token === 'string') return token;
  if (typeof token === 'object' && 'literal' in token) return String(token.literal);
  // A row leaves a member out by giving null.
  const [by, wanted] = withoutPeer(Object.entries(Object(token)).filter(([, value]) => value !== null));
  return peers.mint(by, wanted);
}

function withoutPeer(members: readonly (readonly [string, unknown])[]): readonly [by: string, wanted: object] {
  const { by, ...wanted } = Object.fromEntries(members);
  return [String(by), wanted];
}

/** A token as a person reads it, for failure output: header and claims decoded, the signature left out. */
export function describeToken(token: string): string {
  const parts = token.split('.');
  const readable = parts.slice(0, 2).map(decodePart);
  return parts.length === 3 && readable.every((part) => part !== undefined) ? readable.join(' ') : token;
}

function decodePart(part: string): string | undefined {
  const text = Buffer.from(part, 'base64url').toString();
  try {
    return JSON.stringify(JSON.parse(text));
  } catch {
    return undefined; // no token at all: it is shown as it stands
  }
}
