import { Buffer } from 'node:buffer';
import type { Answer, Request as HttpRequest } from '../../../exchange/exchange.ts';
import { requestEditor } from '../../../policies/edit-headers.ts';
import type { HeaderMutation, McpRequestResult } from '../../../upstream/wire/ext_mcp_pb.js';
import type { Asked } from '../asked.ts';
import type { Notification, Request } from '../message.ts';
import { askGuard, type Verdict } from './ask-guard.ts';
import { type Guard, guardsOf } from './guard.ts';
import { metadataFor } from './metadata.ts';
import { type Rejection, rejectionAnswer } from './rejection.ts';
import { meantItem, serviceNames } from './service-names.ts';

/**
 * GUARDMCP-002, GUARDMCP-004, GUARDMCP-012: asks the guards about what a client wants, one after the other, and goes on
 * with what they make of it. GUARDMCP-013, GUARDMCP-014: the first that rejects it decides what the client is told.
 */
export async function guardCall<Call extends Request | Notification>(
  asked: Asked,
  call: Call,
  goOn: (asked: Asked, call: Call) => Promise<Answer> | Answer,
): Promise<Answer> {
  let now: Asked = { ...asked, message: call };
  let wanted = call;
  const item = meantItem(asked.mcp, call);
  // Expressions for guards may name it.
  if (item !== undefined) asked.notes.noteItem(item, call.params);
  for (const guard of guardsOf(asked.exchange.backend.policies)) {
    if (!CHECKED.has(guard.phaseOf(call.method))) continue;
    const verdict = await askAbout(now, guard, wanted);
    if (verdict === undefined) continue;
    if ('error' in verdict) return rejectionAnswer(verdict, call);
    if (verdict.mutated !== undefined) wanted = { ...wanted, params: verdict.mutated };
    now = withSaid({ ...now, message: wanted }, verdict.said);
  }
  return goOn(now, wanted);
}

const CHECKED: ReadonlySet<string> = new Set(['Request', 'Full']);

function askAbout(
  asked: Asked,
  guard: Guard,
  call: Request | Notification,
): Promise<Verdict<McpRequestResult> | Rejection | undefined> {
  const { method, params } = call;
  const question = {
    serviceNames: serviceNames(asked, call),
    method,
    metadataContext: metadataFor(asked, guard),
    ...(params === undefined ? {} : { mcpRequest: Buffer.from(JSON.stringify(params)) }),
    headers: headersFor(asked.exchange.request, guard),
  };
  return askGuard(asked, guard, 'request', (client, options) => client.checkRequest(question, options));
}

interface Field {
  readonly key: string;
  readonly value: Uint8Array;
}

/** GUARDMCP-018 */
function headersFor({ method, scheme, authority, target, headers }: HttpRequest, { showsHeader }: Guard): Field[] {
  const pseudo = [
    [':method', method],
    [':scheme', scheme],
    [':authority', authority],
    [':path', target],
  ] as const;
  return [...pseudo, ...headers]
    .filter(([name]) => showsHeader(name))
    .map(([name, value]) => ({ key: name.toLowerCase(), value: Buffer.from(value, 'latin1') }));
}

/** Fields for the servers, and what expressions of later steps see as `mcpGuardrails`. */
function withSaid(asked: Asked, { headerMutation, metadata }: McpRequestResult): Asked {
  const { exchange, notes } = asked;
  if (metadata !== undefined) notes.noteGuard(metadata);
  if (headerMutation === undefined) return asked;
  return { ...asked, exchange: { ...exchange, request: editFields(exchange.request, headerMutation) } };
}

function editFields(request: HttpRequest, { set, remove }: HeaderMutation): HttpRequest {
  const kept = remove.reduce(requestEditor.remove, request);
  return set
    .filter(({ key }) => FIELD_NAME.test(key))
    .reduce((now, { key, value }) => requestEditor.set(now, key, Buffer.from(value).toString('latin1')), kept);
}

/** The line of a request to a server is what the server's own path asks for. */
const FIELD_NAME = /^[!#$%&'*+.^_`|~0-9A-Za-z-]+$/;
