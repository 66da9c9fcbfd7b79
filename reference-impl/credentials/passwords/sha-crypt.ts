import { createHash } from 'node:crypto';
import { cryptBase64, type Group } from './crypt-base64.ts';

/**
 * The SHA-2 hashes of crypt(3): `$5$[rounds=N$]SALT$…` with SHA-256 and `$6$…` with SHA-512. `stored` gives variant,
 * rounds and salt; the result is the whole text as it would be stored. Takes time in proportion to the rounds.
 */
export function shaCrypt(password: Buffer, stored: string): string {
  const { variant, rounds, salt } = settingsOf(stored);
  const hash = (...parts: readonly Buffer[]): Buffer =>
    createHash(variant.algorithm).update(Buffer.concat(parts)).digest();
  const saltBytes = Buffer.from(salt);
  const start = firstRound(hash, password, saltBytes);
  const p = repeatTo(hash(...Array.from({ length: password.length }, () => password)), password.length);
  const s = repeatTo(hash(...Array.from({ length: 16 + (start[0] ?? 0) }, () => saltBytes)), saltBytes.length);
  let digest = start;
  for (let round = 0; round < rounds; round += 1) digest = hash(...partsOf(round, digest, p, s));
  return `${stored.slice(0, stored.lastIndexOf('$'))}$${cryptBase64(digest, variant.groups)}`;
}

/** How many rounds the settings of a stored hash ask for. */
export function shaCryptRounds(stored: string): number {
  return settingsOf(stored).rounds;
}

type Hash = (...parts: readonly Buffer[]) => Buffer;

interface Variant {
  readonly algorithm: string;
  /** The order in which the bytes of the digest are written. */
  readonly groups: readonly Group[];
}

const SHA_256: Variant = { algorithm: 'sha256', groups: [...rotations(10, [0, 10, 20], -1), [31, 30]] };
const SHA_512: Variant = { algorithm: 'sha512', groups: [...rotations(21, [0, 21, 42], 1), [63]] };

const DEFAULT_ROUNDS = 5000;

function settingsOf(stored: string): { readonly variant: Variant; readonly rounds: number; readonly salt: string } {
  const [, marker, first = '', second = ''] = stored.split('$');
  const variant = marker === '5' ? SHA_256 : SHA_512;
  if (!first.startsWith(ROUNDS_PREFIX)) return { variant, rounds: DEFAULT_ROUNDS, salt: first };
  return { variant, rounds: Number(first.slice(ROUNDS_PREFIX.length)), salt: second };
}

const ROUNDS_PREFIX = 'rounds=';

function firstRound(hash: Hash, password: Buffer, salt: Buffer): Buffer {
  const alternate = hash(password, salt, password);
  const parts = [password, salt, repeatTo(alternate, password.length)];
  // One part for each bit of the length: the alternate digest where it is set, the password where it is not.
  for (let length = password.length; length > 0; length >>= 1) parts.push(length % 2 === 1 ? alternate : password);
  return hash(...parts);
}

/** Digest and password change places in every other round; salt and password stay out of every third and seventh. */
function partsOf(round: number, digest: Buffer, p: Buffer, s: Buffer): readonly Buffer[] {
  const odd = round % 2 === 1;
  return [odd ? p : digest, ...(round % 3 === 0 ? [] : [s]), ...(round % 7 === 0 ? [] : [p]), odd ? digest : p];
}

function repeatTo(bytes: Buffer, length: number): Buffer {
  return Buffer.alloc(length, bytes);
}

/** Groups of consecutive indexes, each turned by one place against the one before. */
function rotations(count: number, first: readonly [number, number, number], turn: 1 | -1): readonly Group[] {
  return Array.from({ length: count }, (_, at) =>
    [0, 1, 2].map((place) => (first[(place + at * turn + 3 * count) % 3] ?? 0) + at),
  );
}
