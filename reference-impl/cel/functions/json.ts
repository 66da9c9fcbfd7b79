import { CelScalar, celFunc, celMap, celMethod, mapType } from '@bufbuild/cel';
import type { CelFunc, CelInput } from '@bufbuild/cel';
import { payForSize } from '../frame.ts';
import { jsonText } from '../results.ts';
import { fromCel, toCel } from '../values.ts';

const { BYTES, DYN, STRING } = CelScalar;
const MAP = mapType(DYN, DYN);

/** Between values and JSON text. */
export const JSON_FUNCTIONS: readonly CelFunc[] = [
  celFunc('json', [STRING], DYN, parse),
  celFunc('json', [BYTES], DYN, (bytes) => parse(utf8(bytes))),
  celFunc('jsonField', [STRING, STRING], DYN, (text, key) => field(text, key)),
  celFunc('jsonField', [BYTES, STRING], DYN, (bytes, key) => field(utf8(bytes), key)),
  celFunc('toJson', [DYN], STRING, (value) => payForSize(jsonText(fromCel(value)))),
  celFunc('to_json', [DYN], STRING, (value) => payForSize(jsonText(fromCel(value)))),
  // No signature is checked: the claims are what the sender says.
  celFunc('unvalidatedJwtPayload', [STRING], DYN, (token) =>
    parse(utf8(Buffer.from(token.split('.')[1] ?? '', 'base64url'))),
  ),
  // Members of the argument win.
  celMethod('merge', MAP, [MAP], MAP, function (more) {
    return celMap(new Map([...this, ...more]));
  }),
];

function parse(text: string): CelInput {
  return toCel(JSON.parse(text));
}

function field(text: string, key: string): CelInput {
  const parsed: unknown = JSON.parse(text);
  if (typeof parsed !== 'object' || parsed === null || !Object.hasOwn(parsed, key))
    throw new Error(`no such key: ${key}`);
  return toCel(Reflect.get(parsed, key));
}

const decoder = new TextDecoder('utf-8', { fatal: true });

function utf8(bytes: Uint8Array): string {
  return decoder.decode(bytes);
}
