/** The alphabet of crypt(3), in which the texts of its hashes are written. */
const ALPHABET = './0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';

/** Up to three bytes of a digest, most significant first; they become one character more than there are bytes. */
export type Group = readonly number[];

/**
 * Writes the bytes of a digest as crypt(3) does: `groups` says which bytes (by index) come together; every group is
 * written from its least significant six bits on.
 */
export function cryptBase64(digest: Uint8Array, groups: readonly Group[]): string {
  return groups.map((group) => writeGroup(group.map((index) => digest[index] ?? 0))).join('');
}

function writeGroup(bytes: readonly number[]): string {
  const value = bytes.reduce((sum, byte) => sum * 256 + byte, 0);
  return Array.from({ length: bytes.length + 1 }, (_, at) => ALPHABET.charAt(Math.floor(value / 64 ** at) % 64)).join(
    '',
  );
}
