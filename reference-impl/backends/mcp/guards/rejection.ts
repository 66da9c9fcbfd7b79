import { Buffer } from 'node:buffer';
import { HeaderMap } from '../../../base/headers.ts';
import { bytesBody } from '../../../base/read-body.ts';
import type { Answer } from '../../../exchange/exchange.ts';
import { type AuthorizationError, AuthorizationError_Code } from '../../../upstream/wire/ext_mcp_pb.js';
import { type Json, parseJson } from '../../json.ts';
import { type Message, writeMessage } from '../message.ts';
import { refuseMcp } from '../refusals.ts';

/** A guard says no, or could not say anything: the error of JSON-RPC that the client gets. */
export interface Rejection {
  readonly error: Json;
}

/** GUARDMCP-025: the documents give no codes. docs/decisions/mcp-guards.md */
const CODES: Readonly<Record<AuthorizationError_Code, number>> = {
  [AuthorizationError_Code.UNKNOWN]: -32_603,
  [AuthorizationError_Code.PERMISSION_DENIED]: -32_001,
  [AuthorizationError_Code.RESOURCE_EXHAUSTED]: -32_003,
  [AuthorizationError_Code.INVALID]: -32_600,
};

const INTERNAL = CODES[AuthorizationError_Code.UNKNOWN];

/** What a guard gives as its reason is for the client. */
export function rejectionFor({ code, reason, mcpError }: AuthorizationError): Rejection {
  const data = mcpError && parseJson(Buffer.from(mcpError).toString());
  // A server may be newer than the table.
  const number = CODES[code] ?? INTERNAL;
  return { error: { code: number, message: reason, ...(data === undefined ? {} : { data }) } };
}

/** GUARDMCP-015: nobody could be asked. */
export function unavailable(check: 'request' | 'response'): Rejection {
  return { error: { code: INTERNAL, message: `the ${check} check of an MCP guard failed` } };
}

/** GUARDMCP-014: what the client is told instead of being passed on; nobody answers a notification. */
export function rejectionAnswer({ error }: Rejection, message: Message): Answer {
  if (message.kind !== 'request') return refuseMcp('rejected', { detail: String(error['message']) });
  const text = writeMessage({ kind: 'response', id: message.id, outcome: { error } });
  return { status: 200, headers: JSON_TEXT, body: bytesBody(Buffer.from(text)), from: 'policy' };
}

const JSON_TEXT = HeaderMap.of([['content-type', 'application/json']]);
