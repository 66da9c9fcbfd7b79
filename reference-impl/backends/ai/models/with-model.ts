import { Buffer } from 'node:buffer';
import { bytesBody, readBody } from '../../../base/read-body.ts';
import { bodyLimit } from '../../../exchange/buffer-limit.ts';
import type { Request, Targeted } from '../../../exchange/exchange.ts';
import { decode } from '../../../base/content-encoding.ts';
import { asString, parseObject } from '../../json.ts';
import { jsonKeepingDigits } from '../large-numbers.ts';
import { textOf } from '../read-request.ts';
import { formBoundary, formFields } from './multipart.ts';

/** MODEL-027, MODEL-028: the body asks for this model, if it names one; a path is built anew for the provider. */
export async function withModel(exchange: Targeted, model: string): Promise<Targeted> {
  const { request } = exchange;
  const limit = bodyLimit(exchange, 'request');
  const { bytes: sent, rest } = await readBody(request.body, limit);
  const readable = decode(sent, request.headers.get('content-encoding'), limit);
  const bytes = readable.ok ? bytesWithModel(readable.bytes, model, request.headers.get('content-type')) : undefined;
  return {
    ...exchange,
    request: bytes === undefined ? { ...request, body: request.body && rest } : withBytes(request, bytes),
  };
}

/** Undefined when the body names no model, or this one already. */
function bytesWithModel(bytes: Uint8Array, model: string, contentType: string | undefined): Uint8Array | undefined {
  const boundary = formBoundary(contentType);
  if (boundary === undefined) {
    const text = textOf(bytes);
    const json = parseObject(text);
    const named = asString(json?.['model']);
    if (named === undefined || named === model) return undefined;
    return Buffer.from(jsonKeepingDigits({ ...json, model }, text));
  }
  const [field] = formFields(bytes, boundary, 'model');
  if (field === undefined || field.value === model) return undefined;
  return Buffer.concat([bytes.subarray(0, field.start), Buffer.from(model), bytes.subarray(field.end)]);
}

function withBytes(request: Request, bytes: Uint8Array): Request {
  return { ...request, headers: request.headers.remove('content-encoding'), body: bytesBody(bytes) };
}
