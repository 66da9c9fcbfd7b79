import { Buffer } from 'node:buffer';
import { ProxyError } from '../../base/proxy-error.ts';
import { readBody } from '../../base/read-body.ts';
import { bodyLimit } from '../../exchange/buffer-limit.ts';
import type { Received } from '../../exchange/exchange.ts';
import { decode } from '../../base/content-encoding.ts';
import { parseObject, type Json } from '../json.ts';
import { repeatedMember } from './repeated-member.ts';

/** The body of a request to an LLM. */
export interface LlmRequest {
  /** As it came, or without its encoding. */
  readonly bytes: Uint8Array;
  readonly json: Json;
}

/** Reads the request. Throws llmRequestInvalid, llmRequestTooLarge or llmEncodingUnsupported. */
export async function readRequest(exchange: Received): Promise<LlmRequest> {
  const { request } = exchange;
  const limit = bodyLimit(exchange, 'request');
  const { bytes: sent, overflow } = await readBody(request.body, limit);
  if (overflow) throw new ProxyError('llmRequestTooLarge', 'the request is too large');
  const body = decode(sent, request.headers.get('content-encoding'), limit);
  if (!body.ok) throw new ProxyError(UNREADABLE[body.why], `the content encoding of the request is ${body.why}`);
  const text = textOf(body.bytes);
  const json = parseObject(text);
  if (json === undefined) throw new ProxyError('llmRequestInvalid', 'the request is not a JSON object');
  const name = repeatedMember(text);
  if (name !== undefined)
    throw new ProxyError('llmRequestInvalid', `an object has two members ${JSON.stringify(name)}`);
  return { bytes: body.bytes, json };
}

/** The text of bytes that are UTF-8. */
export function textOf(bytes: Uint8Array): string {
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('utf8');
}

const UNREADABLE = {
  unsupported: 'llmEncodingUnsupported',
  'too large': 'llmRequestTooLarge',
  broken: 'llmRequestInvalid',
} as const;
