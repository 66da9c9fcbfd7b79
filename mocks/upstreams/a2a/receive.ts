import type { HttpRequest } from '../../http-exchange.ts';
import { isJsonObject, parseJson, type Json } from '../../json.ts';
import { pathOf } from '../../target.ts';
import { valuesByLowerCaseName } from '../../values-by-name.ts';
import type { A2aScript } from './script.ts';
import { DIALECTS, VERSIONS, type Action, type Version } from './versions.ts';

/** A request as the agent understands it. */
export interface Call {
  readonly action: Action;
  readonly version: Version;
  /** Of the JSON-RPC request; null where it has none that can be told. */
  readonly id: string | number | null;
  readonly params: Json;
  readonly text: string;
  /** Why the agent refuses it, whatever the script says. */
  readonly problem?: Problem;
}

/** A status for what is no call, a code of JSON-RPC for what is one. */
export interface Problem {
  readonly status: number;
  readonly code: number;
  readonly message?: string;
}

/** What A2A and JSON-RPC call their errors. */
export const ERRORS: Readonly<Record<number, string>> = {
  [-32700]: 'Parse error',
  [-32600]: 'Invalid request',
  [-32601]: 'Method not found',
  [-32602]: 'Invalid params',
  [-32603]: 'Internal error',
  [-32001]: 'Task not found',
  [-32002]: 'Task cannot be canceled',
  [-32003]: 'Push Notification is not supported',
  [-32004]: 'This operation is not supported',
  [-32009]: 'The requested A2A protocol version is not supported',
};

/** The second is the name of before version 0.3. */
const CARD_PATHS = ['/.well-known/agent-card.json', '/.well-known/agent.json'];

/** Checks everything the agent would check, in its order. */
export function receive(request: HttpRequest, script: A2aScript): Call {
  const { path: home = '' } = script;
  const path = pathOf(request.target);
  const text = request.body.toString('utf8');
  const headers = valuesByLowerCaseName(request.headers);
  const asked = headers['a2a-version'];
  const nothing = { action: 'other', version: script.version ?? '0.3', id: null, params: {}, text } as const;
  if (CARD_PATHS.some((each) => path === `${home}${each}`)) {
    const isRead = request.method === 'GET' || request.method === 'HEAD';
    return isRead ? { ...nothing, action: 'card' } : { ...nothing, problem: { status: 405, code: -32600 } };
  }
  if (path !== (home === '' ? '/' : home)) return { ...nothing, problem: { status: 404, code: -32600 } };
  if (request.method !== 'POST') return { ...nothing, problem: { status: 405, code: -32600 } };
  if (!/^application\/json\b/i.test(String(headers['content-type'] ?? ''))) {
    return { ...nothing, problem: { status: 415, code: -32600 } };
  }
  return callOf(text, typeof asked === 'string' ? asked : undefined, script);
}

function callOf(text: string, asked: string | undefined, script: A2aScript): Call {
  const json = parseJson(text);
  const none = { action: 'other', version: script.version ?? '0.3', id: null, params: {}, text } as const;
  if (json === undefined) return { ...none, problem: { status: 200, code: -32700 } };
  if (!isJsonObject(json)) return { ...none, problem: { status: 200, code: -32600 } };
  const { jsonrpc, id, method, params = {} } = json;
  const known = typeof id === 'string' || typeof id === 'number' ? id : null;
  if (jsonrpc !== '2.0' || typeof method !== 'string' || known === null) {
    return { ...none, id: known, problem: { status: 200, code: -32600 } };
  }
  const version = VERSIONS.find((each) => Object.hasOwn(DIALECTS[each].methods, method));
  if (version === undefined || (script.version ?? version) !== version) {
    return { ...none, id: known, problem: { status: 200, code: -32601 } };
  }
  const action = DIALECTS[version].methods[method] ?? 'other';
  const call: Call = { action, version, id: known, params: isJsonObject(params) ? params : {}, text };
  const problem = versionProblem(version, asked) ?? paramsProblem(call, params);
  return problem === undefined ? call : { ...call, problem };
}

/** A client that names no version speaks 0.3; methods of 1.0 come with the version. */
function versionProblem(version: Version, asked: string | undefined): Problem | undefined {
  const agreed = asked === undefined || asked === '' ? '0.3' : asked.split('.').slice(0, 2).join('.');
  return agreed === version ? undefined : { status: 200, code: -32009 };
}

function paramsProblem({ action, params }: Call, given: unknown): Problem | undefined {
  if (!isJsonObject(given)) return { status: 200, code: -32602 };
  if (action === 'send' || action === 'stream') return isMessage(params['message']) ? undefined : INVALID_PARAMS;
  if (action === 'list') return undefined;
  return typeof params['id'] === 'string' && params['id'] !== '' ? undefined : INVALID_PARAMS;
}

const INVALID_PARAMS: Problem = { status: 200, code: -32602 };

function isMessage(value: unknown): boolean {
  if (!isJsonObject(value)) return false;
  const { messageId, role, parts } = value;
  const isSaid = typeof messageId === 'string' && messageId !== '' && typeof role === 'string';
  return isSaid && Array.isArray(parts) && parts.length > 0 && parts.every(isJsonObject);
}
