import type { HttpCall } from '../http-input.ts';
import { ITEMS, LISTS, PER_REQUEST, REVISION, type McpInput } from './mcp-input.ts';
import { inRevision, mirroredFields } from './per-request.ts';

/** What a client remembers of its session. */
export interface McpClient {
  /** Null while the server has given it none. */
  readonly session: string | null;
  readonly revision: string;
}

type Json = Readonly<Record<string, unknown>>;

/** The request of an interpolated input, as a client sends it. Its first message is that of `connect`. */
export function mcpCall(input: McpInput, known: McpClient): HttpCall {
  const { at = '/mcp' } = input;
  const client = { ...known, revision: input.revision ?? revisionAsked(input) ?? known.revision };
  const perRequest = client.revision === PER_REQUEST;
  const shared = { path: at, framing: 'length', trailers: {} } as const;
  if (input.listen === true && !perRequest) {
    return {
      ...shared,
      method: 'GET',
      headers: headersOf(input, client, { accept: 'text/event-stream' }),
      parts: undefined,
    };
  }
  if (input.delete === true)
    return { ...shared, method: 'DELETE', headers: headersOf(input, client, {}), parts: undefined };
  const message = perRequest ? inRevision(messageOf(input)) : messageOf(input);
  const text = input.body ?? JSON.stringify(message);
  const usual = {
    'content-type': 'application/json',
    accept: 'application/json, text/event-stream',
    ...(perRequest && mirroredFields(message)),
  };
  return { ...shared, method: 'POST', headers: headersOf(input, client, usual), parts: [Buffer.from(text, 'utf8')] };
}

/** The second message of a client that connects. */
export function initialized(input: McpInput): McpInput {
  const { connect: _, ...rest } = input;
  return { ...rest, notify: 'notifications/initialized' };
}

/** A client that begins in a revision speaks it from its first message on, where that needs no agreement. */
function revisionAsked({ connect }: McpInput): string | undefined {
  return connect === PER_REQUEST ? PER_REQUEST : undefined;
}

/** The revision that a client asks for. */
export function revisionOf({ connect }: McpInput): string {
  return typeof connect === 'string' ? connect : REVISION;
}

function messageOf(input: McpInput): Json {
  const { id = 1, notify, reply, result = {}, params } = input;
  if (reply !== undefined) return { jsonrpc: '2.0', id: reply, result };
  if (notify !== undefined) return { jsonrpc: '2.0', method: notify, ...(params !== undefined && { params }) };
  return { jsonrpc: '2.0', id, ...requestOf(input) };
}

function requestOf(input: McpInput): { readonly method: string; readonly params?: Json } {
  const { list, arguments: given, params = {} } = input;
  if (input.connect === PER_REQUEST) return { method: 'server/discover', params };
  if (input.listen === true)
    return { method: 'subscriptions/listen', params: { notifications: EVERYTHING, ...params } };
  if (input.connect !== undefined) {
    const clientInfo = { name: 'conformance', version: '1.0.0' };
    const capabilities = { roots: {}, sampling: {}, elicitation: {} };
    return {
      method: 'initialize',
      params: { protocolVersion: revisionOf(input), capabilities, clientInfo, ...params },
    };
  }
  if (list !== undefined) return { method: LISTS[list].method, params };
  for (const act of ['call', 'get', 'read'] as const) {
    const name = input[act];
    if (name === undefined) continue;
    const { method, param } = ITEMS[act];
    return { method, params: { [param]: name, ...(given !== undefined && { arguments: given }), ...params } };
  }
  return { method: input.request ?? 'ping', ...(input.params !== undefined && { params }) };
}

/** What there is to hear. */
const EVERYTHING = { toolsListChanged: true, promptsListChanged: true, resourcesListChanged: true };

/** Headers of a client; what the case names replaces them, null leaves one out. */
function headersOf(
  { headers = {}, connect, session }: McpInput,
  client: McpClient,
  usual: Readonly<Record<string, string>>,
): [string, string][] {
  const own = new Set(Object.keys(headers).map((name) => name.toLowerCase()));
  const place = session === undefined ? client.session : session;
  const perRequest = client.revision === PER_REQUEST;
  const inSession = connect === undefined || perRequest ? { 'mcp-protocol-version': client.revision } : {};
  const all = { ...usual, ...inSession, ...(place !== null && connect === undefined && { 'mcp-session-id': place }) };
  const pairs = [...Object.entries(all).filter(([name]) => !own.has(name)), ...Object.entries(headers)];
  return pairs.flatMap(([name, value]): [string, string][] => (value === null ? [] : [[name, String(value)]]));
}
