import type { BackendView } from '../../../attachment/view.ts';
import type { HeaderMap } from '../../../base/headers.ts';
import { bytesBody } from '../../../base/read-body.ts';
import type { Program, VariableSource } from '../../../cel/program.ts';
import type { Received, ReplyHeader, Request } from '../../../exchange/exchange.ts';
import { addReplyHeaders, changedBy, type Outcome } from '../../../exchange/outcome.ts';
import { refusal } from '../../../exchange/refusal.ts';
import type { Services } from '../../../credentials/services.ts';
import { requestEditor } from '../../edit-headers.ts';

/** What a server is asked about. */
export interface Question {
  readonly exchange: Received;
  readonly variables: VariableSource;
  /** The whole body, where it is forwarded. */
  readonly body: Uint8Array | undefined;
}

/** One of the two protocols, its expressions compiled. */
export interface Asking {
  /** What it evaluates on the request. */
  readonly programs: readonly Program[];
  /** Fields of the request that only the server may fill: what a client says there is taken out of what the backend gets. */
  readonly claims: readonly string[];
  /** Rejects when there is no decision: server out of reach, silent, or not understood. */
  readonly ask: (question: Question, server: BackendView, services: Services) => Promise<Decision>;
}

/** What a server decided. Holds nothing of one request, so a cache can keep it for others. */
export type Decision = Allowed | Denied;

interface Decided {
  /** What later policies learn: `extauthz` in expressions. */
  readonly metadata: Readonly<Record<string, unknown>> | undefined;
  /** Whether it may stand for other requests of the same key. */
  readonly reusable: boolean;
  /** About how many bytes it holds. */
  readonly size: number;
}

export interface Allowed extends Decided {
  readonly allowed: true;
  /** What becomes of the request on its way to the backend. */
  readonly edit: (request: Request) => Request;
  /** For the answer to the client. */
  readonly replyHeaders: readonly ReplyHeader[];
}

export interface Denied extends Decided {
  readonly allowed: false;
  /** What the server wants the client to be told; undefined leaves it to the proxy. */
  readonly answer: DenialAnswer | undefined;
}

export interface DenialAnswer {
  readonly status: number;
  readonly headers: HeaderMap;
  readonly body: Uint8Array;
}

/** What the proxy says by itself: 403 without anything of the server. */
export function bareDenial(reusable: boolean, metadata?: Decided['metadata']): Denied {
  return { allowed: false, answer: undefined, metadata, reusable, size: 0 };
}

/** The request without what the client said in these fields. docs/decisions/external-authorization.md */
export function withoutFields(request: Request, names: readonly string[]): Request {
  return names.reduce((now, name) => requestEditor.remove(now, name), request);
}

/** The decision as an outcome of the policy. */
export function outcomeOf(exchange: Received, decision: Decision): Outcome {
  if (!decision.allowed) return { kind: 'answer', answer: denial(decision) };
  return { kind: 'change', ...effectOf(exchange, decision) };
}

/** The exchange as the decision leaves it; a denied request keeps its form. */
export function applyDecision(exchange: Received, decision: Decision): Received {
  return changedBy(exchange, { kind: 'change', ...effectOf(exchange, decision) });
}

function denial({ answer }: Denied): Extract<Outcome, { kind: 'answer' }>['answer'] {
  if (answer === undefined) return refusal('extAuthFailed');
  const { status, headers, body } = answer;
  return { status, headers, body: body.byteLength === 0 ? undefined : bytesBody(body), from: 'policy' };
}

/** EXTAUTH-019. What an earlier phase learnt stays where the server says nothing new. */
function effectOf({ request, facts, handover }: Received, decision: Decision): Effect {
  const { metadata } = decision;
  const learnt = metadata && { facts: { extauthz: { ...facts.extauthz, ...metadata } } };
  if (!decision.allowed) return { request, ...learnt };
  const { edit, replyHeaders } = decision;
  const kept = replyHeaders.length > 0 && { handover: addReplyHeaders(handover, replyHeaders) };
  return { request: edit(request), ...learnt, ...kept };
}

type Effect = Omit<Extract<Outcome, { kind: 'change' }>, 'kind'>;
