import type { McpTargetView } from '../../attachment/view.ts';
import { ProxyError } from '../../base/proxy-error.ts';
import { pickEndpoint } from '../../upstream/endpoints.ts';
import type { Asked, Seat, Setback } from './asked.ts';
import { isJson, type Json } from '../json.ts';
import type { Request, Response } from './message.ts';
import { openLink } from './transports/sse.ts';
import { readResponse } from './read-response.ts';
import { sendMessage } from './transports/transports.ts';

/** How a session began at a target, or why it did not. */
export type Opened =
  | { readonly kind: 'opened'; readonly seat: Seat; readonly result: Json }
  /** The target says no. */
  | { readonly kind: 'declines'; readonly seat: Seat; readonly response: Response }
  | (Setback & { readonly seat: Seat });

/** Begins a session at one replica of a target, which the session keeps (MCP-004). */
export async function openSeat(asked: Asked, target: McpTargetView, request: Request): Promise<Opened> {
  const before: Seat = { target, sessionId: undefined, endpoint: undefined };
  const { endpoints } = target.backend;
  if (endpoints.length === 0) return { kind: 'fails', failure: new ProxyError('noHealthyBackends'), seat: before };
  const here: Seat = { ...before, endpoint: pickEndpoint(endpoints, asked.services.random) };
  const link = target.transport === 'SSE' ? await openLink(asked, here) : undefined;
  if (link !== undefined && 'kind' in link) return { ...link, seat: before };
  const seat: Seat = { ...here, link };
  const sent = await sendMessage(asked, seat, request);
  if (sent.kind === 'accepted') return { kind: 'fails', failure: unanswered(), seat };
  if (sent.kind !== 'speaks') return { ...sent, seat };
  const begun: Seat = { ...seat, sessionId: sent.sessionId };
  const read = await readResponse(asked, sent.messages, request.id);
  if (read.kind === 'fails') return { ...read, seat: begun };
  const { outcome } = read.response;
  if ('result' in outcome && isJson(outcome.result)) return { kind: 'opened', seat: begun, result: outcome.result };
  return { kind: 'declines', seat: begun, response: read.response };
}

function unanswered(): ProxyError {
  return new ProxyError('upstreamCallFailed', "unexpected 'accepted' response");
}
