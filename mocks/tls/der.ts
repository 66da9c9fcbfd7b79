import { Buffer } from 'node:buffer';

/** Values of ASN.1 in their distinguished encoding: as much of it as a certificate needs. */
export const DER = {
  sequence: (...items: readonly Buffer[]): Buffer => encode(0x30, ...items),
  set: (...items: readonly Buffer[]): Buffer => encode(0x31, ...items),
  boolean: (value: boolean): Buffer => encode(0x01, Buffer.from([value ? 0xff : 0x00])),
  /** An unsigned number, most significant byte first. */
  integer: (bytes: Uint8Array): Buffer => encode(0x02, unsignedBytes(bytes)),
  bitString: (bytes: Uint8Array, unusedBits = 0): Buffer => encode(0x03, Buffer.from([unusedBits]), Buffer.from(bytes)),
  octetString: (bytes: Uint8Array): Buffer => encode(0x04, Buffer.from(bytes)),
  oid: (dotted: string): Buffer => encode(0x06, oidBytes(dotted)),
  text: (value: string): Buffer => encode(0x0c, Buffer.from(value)),
  time,
  /** A member known by its number: explicit when it holds a whole value, implicit when it holds bare bytes. */
  explicit: (number: number, value: Buffer): Buffer => encode(0xa0 | number, value),
  implicit: (number: number, bytes: Uint8Array): Buffer => encode(0x80 | number, Buffer.from(bytes)),
};

function encode(tag: number, ...contents: readonly Buffer[]): Buffer {
  const content = Buffer.concat(contents);
  return Buffer.concat([Buffer.from([tag]), lengthBytes(content.length), content]);
}

function lengthBytes(length: number): Buffer {
  if (length < 0x80) return Buffer.from([length]);
  const bytes = length < 0x100 ? [length] : [length >> 8, length & 0xff];
  return Buffer.from([0x80 | bytes.length, ...bytes]);
}

/** Without leading zeros, and with one where the first bit would read as a sign. */
function unsignedBytes(bytes: Uint8Array): Buffer {
  const first = bytes.findIndex((byte) => byte !== 0);
  const significant = first < 0 ? Buffer.from([0]) : Buffer.from(bytes.subarray(first));
  return (significant[0] ?? 0) < 0x80 ? significant : Buffer.concat([Buffer.from([0]), significant]);
}

function oidBytes(dotted: string): Buffer {
  const [first = 0, second = 0, ...rest] = dotted.split('.').map(Number);
  return Buffer.from([first * 40 + second, ...rest.flatMap(base128)]);
}

function base128(value: number): readonly number[] {
  const groups = [value & 0x7f];
  for (let left = value >> 7; left > 0; left >>= 7) groups.unshift(0x80 | (left & 0x7f));
  return groups;
}

/** Milliseconds since 1970, to the second. Years up to 2049 have two digits, as certificates want it. */
function time(at: number): Buffer {
  const digits = `${UTC.format(at).replace(/\D/g, '')}Z`;
  return digits < '2050' ? encode(0x17, Buffer.from(digits.slice(2))) : encode(0x18, Buffer.from(digits));
}

// This form writes year, month, day, hour, minute and second in that order, each with leading zeros.
const UTC = new Intl.DateTimeFormat('sv-SE', { timeZone: 'UTC', dateStyle: 'short', timeStyle: 'medium' });
