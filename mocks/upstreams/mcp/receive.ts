import type { HttpRequest } from '../../http-exchange.ts';
import { isJsonObject, parseJson, type Json } from '../../json.ts';
import { pathOf, queryOf } from '../../target.ts';
import { valuesByLowerCaseName } from '../../values-by-name.ts';
import type { McpScript } from './script.ts';

/** A message as the server understands it. */
export interface Call {
  /** Method of JSON-RPC; `listen` and `delete` are those of HTTP, `reply` is the answer of a client to the server. */
  readonly method: string;
  /** Undefined for a notification. */
  readonly id: string | number | undefined;
  readonly params: Json;
  /** Name of the tool or prompt, or URI of the resource. */
  readonly name: string | undefined;
  /** The session the client says it is in. */
  readonly session: string | undefined;
  readonly headers: Readonly<Record<string, string | readonly string[]>>;
  /** Why the server refuses it, whatever the script says. */
  readonly problem?: Problem;
}

/** A status of HTTP, or with 200 an error of JSON-RPC. */
export interface Problem {
  readonly status: number;
  readonly code: number;
  readonly message: string;
}

/** Where a server listens that speaks a transport, unless its script says otherwise. */
export const PATHS = { streamable: '/mcp', sse: '/sse' } as const;

/** Where a server of the older transport takes messages: it tells its clients. */
export const MESSAGES_PATH = '/messages';

/** Checks everything a server checks before it looks at what is asked. */
export function receive(request: HttpRequest, { transport = 'streamable', path = PATHS[transport] }: McpScript): Call {
  const headers = valuesByLowerCaseName(request.headers);
  const isOld = transport === 'sse';
  const session = isOld
    ? (new URLSearchParams(queryOf(request.target)).get('session') ?? undefined)
    : textOf(headers['mcp-session-id']);
  const nothing = { method: 'none', id: undefined, params: {}, name: undefined, session, headers };
  const refuse = (status: number, message: string): Call => ({
    ...nothing,
    problem: { status, code: -32000, message },
  });
  const at = pathOf(request.target);
  const accept = String(headers['accept'] ?? '');
  if (at === path && request.method === 'GET') {
    return accept.includes('text/event-stream')
      ? { ...nothing, method: 'listen' }
      : refuse(406, 'accept is not text/event-stream');
  }
  if (at !== (isOld ? MESSAGES_PATH : path)) return refuse(404, 'nothing is here');
  if (request.method === 'DELETE' && !isOld) return { ...nothing, method: 'delete' };
  if (request.method !== 'POST') return refuse(405, 'method not allowed');
  if (!/^application\/json\b/i.test(String(headers['content-type'] ?? '')))
    return refuse(415, 'content-type is not application/json');
  if (!isOld && !(accept.includes('application/json') && accept.includes('text/event-stream'))) {
    return refuse(406, 'accept lacks application/json or text/event-stream');
  }
  return { ...nothing, ...messageOf(request.body.toString('utf8')) };
}

function messageOf(text: string): Pick<Call, 'method' | 'id' | 'params' | 'name' | 'problem'> {
  const nothing = { method: 'none', id: undefined, params: {}, name: undefined };
  const json = parseJson(text);
  if (!isJsonObject(json) || json['jsonrpc'] !== '2.0') {
    return {
      ...nothing,
      problem: { status: 400, code: json === undefined ? -32700 : -32600, message: 'no message of JSON-RPC' },
    };
  }
  const { id, method, params } = json;
  const known = typeof id === 'string' || typeof id === 'number' ? id : undefined;
  if (method === undefined && known !== undefined) return { ...nothing, method: 'reply', params: json };
  if (typeof method !== 'string') return { ...nothing, problem: { status: 400, code: -32600, message: 'no method' } };
  const given = isJsonObject(params) ? params : {};
  return { method, id: known, params: given, name: textOf(given['name']) ?? textOf(given['uri']) };
}

function textOf(value: unknown): string | undefined {
  return typeof value === 'string' ? value : undefined;
}
