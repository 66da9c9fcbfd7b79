import { createHash } from 'node:crypto';
import { cryptBase64, type Group } from './crypt-base64.ts';

/**
 * The MD5 hash of crypt(3): `$1$SALT$…`, and under another marker the one of Apache, `$apr1$SALT$…`. `stored` gives
 * marker and salt; the result is the whole text as it would be stored.
 */
export function md5Crypt(password: Buffer, stored: string): string {
  const [, marker = '', salt = ''] = stored.split('$');
  const prefix = Buffer.from(`$${marker}$`);
  let digest = firstRound(password, prefix, Buffer.from(salt));
  for (let round = 0; round < ROUNDS; round += 1) digest = nextRound(round, digest, password, Buffer.from(salt));
  return `$${marker}$${salt}$${cryptBase64(digest, GROUPS)}`;
}

const ROUNDS = 1000;

/** The order in which the bytes of the digest are written. */
const GROUPS: readonly Group[] = [[0, 6, 12], [1, 7, 13], [2, 8, 14], [3, 9, 15], [4, 10, 5], [11]];

function firstRound(password: Buffer, prefix: Buffer, salt: Buffer): Buffer {
  const alternate = md5(password, salt, password);
  const parts = [password, prefix, salt, repeatTo(alternate, password.length)];
  // One byte for each bit of the length: the first of the password, or a zero where the bit is set.
  for (let length = password.length; length > 0; length >>= 1) {
    parts.push(length % 2 === 1 ? ZERO : password.subarray(0, 1));
  }
  return md5(...parts);
}

const ZERO = Buffer.alloc(1);

/** Digest and password change places in every other round; salt and password stay out of every third and seventh. */
function nextRound(round: number, digest: Buffer, password: Buffer, salt: Buffer): Buffer {
  const odd = round % 2 === 1;
  return md5(
    odd ? password : digest,
    ...(round % 3 === 0 ? [] : [salt]),
    ...(round % 7 === 0 ? [] : [password]),
    odd ? digest : password,
  );
}

function md5(...parts: readonly Buffer[]): Buffer {
  return createHash('md5').update(Buffer.concat(parts)).digest();
}

/** The bytes, repeated up to this length. */
function repeatTo(bytes: Buffer, length: number): Buffer {
  return Buffer.alloc(length, bytes);
}
