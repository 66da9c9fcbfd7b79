import { createHash, randomUUID } from 'node:crypto';
import { CelScalar, celFunc, celList, celMap, isCelList, mapType } from '@bufbuild/cel';
import type { CelFunc, CelMap, CelValue } from '@bufbuild/cel';
import { payForSize } from '../frame.ts';
import { keyText } from '../values.ts';

const { BYTES, DOUBLE, DYN, STRING } = CelScalar;
const MAP = mapType(DYN, DYN);

/** Encodings of text and bytes, digests, and the two functions that give something new each time. */
export const ENCODER_FUNCTIONS: readonly CelFunc[] = [
  ...ofBytes(['base64.encode', 'base64Encode'], (bytes) => Buffer.from(bytes).toString('base64')),
  celFunc('base64.decode', [STRING], BYTES, decodeBase64),
  celFunc('base64Decode', [STRING], BYTES, decodeBase64),
  ...ofBytes(['url.encode'], (bytes) => encodeComponent(Buffer.from(bytes).toString('utf8'))),
  // `+` stays `+`: this is a URI component, not a form.
  celFunc('url.decode', [STRING], STRING, decodeURIComponent),
  celFunc('form.encode', [MAP], STRING, encodeForm),
  celFunc('form.decode', [STRING], MAP, decodeForm),
  ...ofBytes(['sha1.encode'], (bytes) => createHash('sha1').update(bytes).digest('hex')),
  ...ofBytes(['sha256.encode'], (bytes) => createHash('sha256').update(bytes).digest('hex')),
  ...ofBytes(['md5.encode'], (bytes) => createHash('md5').update(bytes).digest('hex')),
  celFunc('uuid', [], STRING, () => randomUUID()),
  celFunc('random', [], DOUBLE, () => Math.random()),
];

/** The function for bytes, and for a string as its UTF-8 bytes. */
function ofBytes(names: readonly string[], encode: (bytes: Uint8Array) => string): CelFunc[] {
  return names.flatMap((name) => [
    celFunc(name, [BYTES], STRING, (bytes) => payForSize(encode(bytes))),
    celFunc(name, [STRING], STRING, (text) => payForSize(encode(Buffer.from(text)))),
  ]);
}

/** Standard alphabet; padding may be left out. */
function decodeBase64(text: string): Uint8Array {
  if (!/^[A-Za-z0-9+/]*={0,2}$/.test(text) || text.replace(/=+$/, '').length % 4 === 1) throw new Error('not base64');
  return Uint8Array.from(Buffer.from(text, 'base64'));
}

/** RFC 3986: everything but unreserved characters. */
function encodeComponent(text: string): string {
  return encodeURIComponent(text).replace(
    /[!'()*]/g,
    (letter) => `%${letter.charCodeAt(0).toString(16).toUpperCase()}`,
  );
}

/** Keys sorted, lists repeated, nulls left out. */
function encodeForm(map: CelMap): string {
  const fields = new URLSearchParams();
  const entries = Array.from(map, ([key, value]) => [keyText(key), value] as const);
  for (const [key, value] of entries.toSorted(([a], [b]) => (a < b ? -1 : 1))) {
    for (const member of isCelList(value) ? value : [value]) if (member !== null) fields.append(key, formText(member));
  }
  return fields.toString();
}

function formText(value: CelValue): string {
  if (typeof value === 'object') throw new Error('form.encode takes scalars and lists of scalars');
  return String(value);
}

/** A repeated key gives the list of its values. */
function decodeForm(text: string): CelMap {
  const fields = new URLSearchParams(text);
  const decoded = new Map<string, CelValue>();
  for (const key of new Set(fields.keys())) {
    const values = fields.getAll(key);
    decoded.set(key, values.length === 1 ? (values[0] ?? '') : celList(values));
  }
  return celMap(decoded);
}
