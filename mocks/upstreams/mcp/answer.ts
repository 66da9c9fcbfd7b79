import { jsonReply, type HttpPiece, type HttpReply } from '../../http-exchange.ts';
import type { Json } from '../../json.ts';
import { resultOf } from './items.ts';
import { perRequestResult, subscription, subscriptionEnd } from './per-request.ts';
import { createOutlet, type Outlet } from './outlet.ts';
import type { Call, Problem } from './call.ts';
import { MESSAGES_PATH } from './receive.ts';
import type { McpReply, McpScript, Said } from './script.ts';
import type { Sessions } from './sessions.ts';
import type { Streams } from './streams.ts';

/** What a server has to answer with. */
export interface Server {
  readonly name: string;
  readonly script: McpScript;
  readonly sessions: Sessions;
  readonly streams: Streams;
  /** By session, the streams of the older transport. */
  readonly outlets: Map<string, Outlet>;
}

/** The answer to one message: the server's own refusal, what the script says, or what a server says by itself. */
export function answer(call: Call, reply: McpReply, server: Server): HttpReply {
  if (reply.fail !== undefined) return { fail: reply.fail };
  const problem = call.problem ?? sessionProblem(call, server);
  if (problem !== undefined) return refuse(call, problem);
  const said = server.script.transport === 'sse' ? sayOnStream(call, reply, server) : say(call, reply, server);
  return reply.fault === undefined ? said : { ...said, fault: reply.fault };
}

/** Everything but the first message stands in a session that this server knows. */
function sessionProblem({ method, session, perRequest }: Call, { script, sessions }: Server): Problem | undefined {
  if (script.sessions === false || method === 'initialize' || perRequest) return undefined;
  if (script.transport === 'sse' && method === 'listen') return undefined;
  if (session === undefined) return { status: 400, code: -32000, message: 'no session' };
  return sessions.has(session) ? undefined : { status: 404, code: -32001, message: 'session not found' };
}

function refuse(
  { id = null }: Omit<Call, 'id'> & { id?: string | number | null | undefined },
  problem: Problem,
): HttpReply {
  const { status, code, message, data } = problem;
  const error = { code, message, ...(data !== undefined && { data }) };
  return jsonReply(JSON.stringify({ jsonrpc: '2.0', id, error }), { status });
}

function say(call: Call, reply: McpReply, server: Server): HttpReply {
  const { status = 200, headers = {} } = reply;
  if (reply.body !== undefined) return { status, headers: { ...JSON_TYPE, ...headers }, body: reply.body };
  if (call.method === 'listen') return listen(call, server);
  if (call.method === 'delete') return forget(call, server);
  if (call.id === undefined) return { status: reply.status ?? 202, headers };
  if (call.perRequest && call.method === 'subscriptions/listen') return subscribe(call, reply, server);
  const text = JSON.stringify(messageFor(call, reply, server));
  const all = { ...sessionHeader(call, server), ...headers };
  const isStream = reply.stream ?? (server.script.stream === true || reply.before !== undefined);
  if (!isStream) return jsonReply(text, { status, headers: all, gate: reply.gate, giveUp: reply.giveUp });
  const before = (reply.before ?? []).map(pieceOf);
  const waiting: HttpPiece[] = reply.gate === undefined ? [] : [{ gate: reply.gate, giveUp: reply.giveUp }];
  return {
    status,
    headers: { ...EVENTS, ...all },
    chunks: streamed([...before, ...waiting, { text: eventOf(text) }], server),
  };
}

const JSON_TYPE = { 'content-type': 'application/json' };
const EVENTS = { 'content-type': 'text/event-stream', 'cache-control': 'no-cache' };

function listen({ headers }: Call, server: Server): HttpReply {
  const { listen: said, resumable } = server.script;
  const last = headers['last-event-id'];
  if (resumable === true && typeof last === 'string') {
    const rest = server.streams.after(last);
    return rest === undefined ? { status: 400 } : { status: 200, headers: EVENTS, chunks: rest };
  }
  if (said === undefined) return { status: 405, headers: { allow: 'POST, DELETE' } };
  return { status: 200, headers: EVENTS, chunks: streamed(said.map(pieceOf), server) };
}

function streamed(pieces: HttpPiece[], { script, streams }: Server): HttpPiece[] {
  return (script.resumable === true ? streams.begin(pieces) : pieces).map((piece) => inLines(piece, script));
}

/** Lines of events end in LF, or in CR LF where the script says so. */
function inLines(piece: HttpPiece, { crlf }: McpScript): HttpPiece {
  if (crlf !== true || typeof piece === 'string' || !('text' in piece)) return piece;
  return { text: linesOf(piece.text, crlf) };
}

function linesOf(text: string, crlf: boolean | undefined): string {
  return crlf === true ? text.replaceAll('\n', '\r\n') : text;
}

function subscribe(call: Call, reply: McpReply, server: Server): HttpReply {
  const said = subscription(call, server.script, pieceOf);
  const waiting: HttpPiece[] = reply.gate === undefined ? [] : [{ gate: reply.gate, giveUp: reply.giveUp }];
  const end = { jsonrpc: '2.0', id: call.id, result: subscriptionEnd(call) };
  return { status: 200, headers: EVENTS, chunks: [...said, ...waiting, { text: eventOf(JSON.stringify(end)) }] };
}

function forget({ session }: Call, { sessions }: Server): HttpReply {
  if (session !== undefined) sessions.end(session);
  return { status: 200 };
}

function sessionHeader({ method }: Call, { script, sessions }: Server): Record<string, string> {
  return method !== 'initialize' || script.sessions === false ? {} : { 'mcp-session-id': sessions.begin() };
}

function messageFor(call: Call, reply: McpReply, { script, name }: Server): Json {
  const { id } = call;
  if (reply.error !== undefined) {
    const { code, message = 'Error of the server', data } = reply.error;
    return { jsonrpc: '2.0', id, error: { code, message, ...(data !== undefined && { data }) } };
  }
  if (reply.result !== undefined) return { jsonrpc: '2.0', id, result: reply.result };
  const outcome = call.perRequest ? perRequestResult(call, script, name) : resultOf(call, script, name);
  if ('result' in outcome) return { jsonrpc: '2.0', id, result: outcome.result };
  return { jsonrpc: '2.0', id, error: { code: outcome.problem.code, message: outcome.problem.message } };
}

/** The older transport: messages are taken at a place of their own, and answered in the stream of their session. */
function sayOnStream(call: Call, reply: McpReply, server: Server): HttpReply {
  const { sessions, outlets } = server;
  const { crlf } = server.script;
  if (call.method === 'listen') {
    const session = sessions.begin();
    const outlet = createOutlet();
    outlets.set(session, outlet);
    const place = `event: endpoint\ndata: ${MESSAGES_PATH}?session=${session}\n\n`;
    return { status: 200, headers: EVENTS, chunks: [{ text: linesOf(place, crlf) }, { live: outlet.texts }] };
  }
  const { status = 202, headers = {} } = reply;
  if (reply.body !== undefined) return { status, headers, body: reply.body };
  if (call.id !== undefined) {
    outlets
      .get(call.session ?? '')
      ?.push(linesOf(`event: message\n${eventOf(JSON.stringify(messageFor(call, reply, server)))}`, crlf));
  }
  return { status, headers, body: 'Accepted' };
}

function pieceOf(said: Said): HttpPiece {
  return 'method' in said ? { text: eventOf(JSON.stringify({ jsonrpc: '2.0', ...said })) } : said;
}

function eventOf(text: string): string {
  return `data: ${text}\n\n`;
}
