import type { HttpRequest } from '../../http-exchange.ts';
import { isJsonObject, parseJson } from '../../json.ts';
import { pathOf, queryOf } from '../../target.ts';
import { valuesByLowerCaseName } from '../../values-by-name.ts';
import type { Call, Problem } from './call.ts';
import { REVISIONS } from './items.ts';
import { PER_REQUEST, perRequestProblem, revisionProblem } from './per-request.ts';
import type { McpScript } from './script.ts';

/** Where a server listens that speaks a transport, unless its script says otherwise. */
export const PATHS = { streamable: '/mcp', sse: '/sse' } as const;

/** Where a server of the older transport takes messages: it tells its clients. */
export const MESSAGES_PATH = '/messages';

/** Checks everything a server checks before it looks at what is asked. */
export function receive(request: HttpRequest, script: McpScript): Call {
  const { transport = 'streamable', path = PATHS[transport], revision } = script;
  const headers = valuesByLowerCaseName(request.headers);
  const isOld = transport === 'sse';
  const session = isOld
    ? (new URLSearchParams(queryOf(request.target)).get('session') ?? undefined)
    : textOf(headers['mcp-session-id']);
  const version = headers['mcp-protocol-version'];
  const perRequest = version === PER_REQUEST && !isOld;
  const nothing = { method: 'none', id: undefined, params: {}, name: undefined, session, headers, perRequest };
  const refuse = (status: number, message: string): Call => ({
    ...nothing,
    problem: { status, code: -32000, message },
  });
  const at = pathOf(request.target);
  const accept = String(headers['accept'] ?? '');
  const hasSessions = revision !== PER_REQUEST;
  if (at === path && request.method !== 'POST' && !hasSessions) return refuse(405, 'method not allowed');
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
  const call: Call = { ...nothing, ...messageOf(request.body.toString('utf8')) };
  const problem = call.problem ?? problemOf(call, script);
  return problem === undefined ? call : { ...call, problem };
}

/** A server speaks one of the two kinds of revisions, or both. */
function problemOf(call: Call, script: McpScript): Problem | undefined {
  const version = call.headers['mcp-protocol-version'];
  if (script.revision === PER_REQUEST && !call.perRequest) return revisionProblem(version, [PER_REQUEST]);
  if (call.perRequest && (script.revision === PER_REQUEST || script.perRequest === true))
    return perRequestProblem(call, script);
  const supported = script.revision === undefined ? REVISIONS : [script.revision];
  const isSpoken = version === undefined || supported.some((one) => one === version);
  if (isSpoken || script.transport === 'sse' || (call.method === 'initialize' && !call.perRequest)) return undefined;
  // As servers of before that revision refuse it: not in its words.
  return { status: 400, code: -32000, message: `unsupported protocol version, supported are ${supported.join(', ')}` };
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
