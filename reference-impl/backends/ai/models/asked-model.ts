import type { Body } from '../../../base/body.ts';
import { ProxyError } from '../../../base/proxy-error.ts';
import { readBody } from '../../../base/read-body.ts';
import type { VariableSource } from '../../../cel/program.ts';
import { bodyLimit } from '../../../exchange/buffer-limit.ts';
import type { Request, Routed } from '../../../exchange/exchange.ts';
import { splitTarget } from '../../../exchange/request-state.ts';
import { decode } from '../../../base/content-encoding.ts';
import { asString, parseObject, type Json } from '../../json.ts';
import { llmVariables } from '../call/llm-variables.ts';
import { modelInPath } from './model-in-path.ts';
import { textOf } from '../read-request.ts';
import { repeatedMember } from '../repeated-member.ts';
import { formBoundary, formFields } from './multipart.ts';

/** A request and the model it asks for. */
export interface Asked {
  readonly model: string;
  /** With its body readable again, as it came. */
  readonly exchange: Routed;
  /** What conditions on the request see, its body included. */
  readonly variables: VariableSource;
}

/**
 * MODEL-001: the model is what the body names, or a form in its field `model`, or the path. Throws modelRequestTooLarge,
 * modelRequestInvalid or modelMissing.
 */
export async function askedModel(exchange: Routed): Promise<Asked> {
  const { sent, bytes, rest } = await readSent(exchange);
  const { request } = exchange;
  const text = bytes && textOf(bytes);
  const json = text === undefined ? undefined : parseObject(text);
  checkOneMeaning(text, json);
  const model = modelOf(request, json, bytes);
  const now = { ...exchange, request: { ...request, body: request.body && rest } };
  return { model, exchange: now, variables: llmVariables(now, json, bytes ?? sent) };
}

/** Rules and conditions see all of the body, and the provider is to see the same. */
function checkOneMeaning(text: string | undefined, json: Json | undefined): void {
  if (text === undefined || json === undefined) return;
  const name = repeatedMember(text);
  if (name !== undefined)
    throw new ProxyError('modelRequestInvalid', `an object has two members ${JSON.stringify(name)}`);
}

interface Sent {
  readonly sent: Uint8Array;
  /** Without their encoding, if that is known. */
  readonly bytes: Uint8Array | undefined;
  readonly rest: Body;
}

async function readSent(exchange: Routed): Promise<Sent> {
  const { request } = exchange;
  const limit = bodyLimit(exchange, 'request');
  const { bytes: sent, overflow, rest } = await readBody(request.body, limit);
  if (overflow) throw new ProxyError('modelRequestTooLarge');
  const readable = decode(sent, request.headers.get('content-encoding'), limit);
  if (!readable.ok && readable.why === 'too large') throw new ProxyError('modelRequestTooLarge');
  return { sent, bytes: readable.ok ? readable.bytes : undefined, rest };
}

function modelOf(request: Request, json: Json | undefined, bytes: Uint8Array | undefined): string {
  const written = asString(json?.['model']) ?? modelInPath(splitTarget(request.target).path);
  const model = written ?? modelInForm(request, bytes) ?? '';
  if (model !== '') return model;
  throw new ProxyError(json === undefined && !isForm(request) ? 'modelRequestInvalid' : 'modelMissing');
}

function isForm({ headers }: Request): boolean {
  return formBoundary(headers.get('content-type')) !== undefined;
}

/** A form with two models could be read in two ways. */
function modelInForm({ headers }: Request, bytes: Uint8Array | undefined): string | undefined {
  const boundary = formBoundary(headers.get('content-type'));
  if (boundary === undefined || bytes === undefined) return undefined;
  const [field, second] = formFields(bytes, boundary, 'model');
  if (second !== undefined) throw new ProxyError('modelRequestInvalid', 'the form names two models');
  return field?.value;
}
