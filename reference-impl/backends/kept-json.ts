import { Buffer } from 'node:buffer';
import type { Body } from '../base/body.ts';
import { decode } from '../base/content-encoding.ts';
import type { HeaderMap } from '../base/headers.ts';
import { once } from '../base/once.ts';
import { recordBody } from '../base/read-body.ts';
import { parseObject, type Json } from './json.ts';

/** A body that passes as it is, and what it said. */
export interface KeptJson {
  readonly body: Body | undefined;
  /** The object it was, read when somebody asks. Undefined for anything else, for one beyond the limit and for one that broke off. */
  readonly json: () => Json | undefined;
}

/** Keeps a JSON body of at most `limit` bytes aside while it passes; nothing of it is delayed or changed. */
export function keepJson(body: Body | undefined, headers: HeaderMap, limit: number): KeptJson {
  if (body === undefined) return { body, json: () => undefined };
  let kept: Uint8Array = new Uint8Array();
  const passing = recordBody(body, limit + 1, (bytes) => (kept = bytes));
  return { body: passing, json: once(() => objectIn(kept, headers.get('content-encoding'), limit)) };
}

/** Whether the fields say that a message is JSON. */
export function isJsonText(headers: HeaderMap): boolean {
  return /^application\/(?:[\w.+-]+\+)?json\s*(?:;|$)/i.test(headers.get('content-type') ?? '');
}

function objectIn(bytes: Uint8Array, encoding: string | undefined, limit: number): Json | undefined {
  if (bytes.byteLength > limit) return undefined;
  const readable = decode(bytes, encoding, limit);
  return readable.ok ? parseObject(Buffer.from(readable.bytes).toString('utf8')) : undefined;
}

/** Characters of a text from outside that is told in a field. */
const LONGEST = 256;

/** The text, unless it is longer than a field should be. */
export function shortText(value: unknown): string | undefined {
  return typeof value === 'string' && value !== '' && value.length <= LONGEST ? value : undefined;
}

/** The beginning of a text, as long as a field may be. */
export function beginning(value: unknown): string | undefined {
  return typeof value === 'string' ? value.slice(0, LONGEST) : undefined;
}
