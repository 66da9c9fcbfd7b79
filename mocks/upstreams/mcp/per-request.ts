import type { HttpPiece } from '../../http-exchange.ts';
import { isJsonObject, type Json } from '../../json.ts';
import { introduction, isKnown, resultOf, type Outcome } from './items.ts';
import type { Call, Problem } from './call.ts';
import type { McpScript, Said } from './script.ts';

/*
 * The revision without sessions: every request says in fields and in `_meta` who asks, and in which revision.
 */

export const PER_REQUEST = '2026-07-28';

const VERSION = 'io.modelcontextprotocol/protocolVersion';
const CAPABILITIES = 'io.modelcontextprotocol/clientCapabilities';
const SUBSCRIPTION = 'io.modelcontextprotocol/subscriptionId';
const SERVER = 'io.modelcontextprotocol/serverInfo';

/** What a server of this revision refuses before it looks at what is asked; undefined when the message is good. */
export function perRequestProblem({ method, id, params, name, headers }: Call, script: McpScript): Problem | undefined {
  if (decoded(headers['mcp-method']) !== method) return mismatch('Mcp-Method');
  if (id === undefined) return undefined;
  const meta = isJsonObject(params['_meta']) ? params['_meta'] : {};
  if (meta[VERSION] === undefined) return { status: 400, code: -32602, message: `_meta lacks ${VERSION}` };
  if (meta[VERSION] !== headers['mcp-protocol-version']) return mismatch('MCP-Protocol-Version');
  if (!isJsonObject(meta[CAPABILITIES])) return { status: 400, code: -32602, message: `_meta lacks ${CAPABILITIES}` };
  if (NAMED.has(method) && decoded(headers['mcp-name']) !== name) return mismatch('Mcp-Name');
  const isScripted = (script.on ?? []).some(({ match }) => match?.method === method);
  const isGood = OWN.has(method) || isScripted || (isKnown(method) && !REMOVED.has(method));
  return isGood ? undefined : { status: 404, code: -32601, message: `Method not found: ${method}` };
}

function mismatch(field: string): Problem {
  return { status: 400, code: -32020, message: `Header mismatch: ${field} does not say what the body says` };
}

/** The refusal of a message in a revision that is not spoken. */
export function revisionProblem(requested: unknown, supported: readonly string[]): Problem {
  const data = { supported: [...supported], requested: typeof requested === 'string' ? requested : '' };
  return { status: 400, code: -32022, message: 'Unsupported protocol version', data };
}

/** What the server says by itself to a message of this revision. */
export function perRequestResult(call: Call, script: McpScript, peer: string): Outcome {
  const outcome = call.method === 'server/discover' ? discover(call, script, peer) : resultOf(call, script, peer);
  if ('problem' in outcome) {
    // What is not there has one code in this revision.
    const { problem } = outcome;
    return { problem: problem.code === -32002 ? { ...problem, code: -32602 } : problem };
  }
  const { ttlMs = 0, cacheScope = 'private' } = script.cache ?? {};
  return {
    result: {
      resultType: 'complete',
      ...outcome.result,
      ...(CACHED.has(call.method) && { ttlMs, cacheScope }),
      _meta: { [SERVER]: { name: peer, version: '1.0.0' } },
    },
  };
}

/** A stream of what the server says by itself: first what it agreed to, at the end that it is over. */
export function subscription({ id, params }: Call, script: McpScript, pieceOf: (said: Said) => HttpPiece): HttpPiece[] {
  const wanted = isJsonObject(params['notifications']) ? params['notifications'] : {};
  const agreed = agreedOf(wanted, script);
  const told = (method: string, more: Json = {}): HttpPiece =>
    pieceOf({ method, params: { ...more, _meta: { [SUBSCRIPTION]: id ?? '' } } });
  const said = (script.listen ?? []).flatMap((each): HttpPiece[] => {
    if (!('method' in each)) return [pieceOf(each)];
    return each.id === undefined && isAgreed(each, agreed) ? [told(each.method, each.params)] : [];
  });
  return [told('notifications/subscriptions/acknowledged', { notifications: agreed }), ...said];
}

/** The response that ends a subscription. */
export function subscriptionEnd({ id }: Call): Json {
  return { resultType: 'complete', _meta: { [SUBSCRIPTION]: id ?? '' } };
}

const NAMED: ReadonlySet<string> = new Set(['tools/call', 'prompts/get', 'resources/read']);
const OWN: ReadonlySet<string> = new Set(['server/discover', 'subscriptions/listen']);
const REMOVED: ReadonlySet<string> = new Set([
  'initialize',
  'ping',
  'logging/setLevel',
  'resources/subscribe',
  'resources/unsubscribe',
]);
const CACHED: ReadonlySet<string> = new Set([
  'server/discover',
  'tools/list',
  'prompts/list',
  'resources/list',
  'resources/templates/list',
  'resources/read',
]);

function discover(call: Call, script: McpScript, peer: string): Outcome {
  const { protocolVersion: _, serverInfo: __, ...rest } = introduction(call, script, peer);
  return { result: { supportedVersions: [PER_REQUEST], ...rest } };
}

/** A field as text: what a field cannot carry comes in base64. */
function decoded(field: string | readonly string[] | undefined): string | undefined {
  if (typeof field !== 'string') return undefined;
  const [, inner] = /^=\?base64\?(.*)\?=$/.exec(field) ?? [];
  return inner === undefined ? field : Buffer.from(inner, 'base64').toString('utf8');
}

function agreedOf(wanted: Json, { prompts, resources }: McpScript): Json {
  const known = new Set((resources ?? []).map(({ uri }) => uri));
  const uris = Array.isArray(wanted['resourceSubscriptions']) ? wanted['resourceSubscriptions'] : [];
  const agreed = uris.filter((uri) => typeof uri === 'string' && known.has(uri));
  return {
    ...(wanted['toolsListChanged'] === true && { toolsListChanged: true }),
    ...(wanted['promptsListChanged'] === true && prompts !== undefined && { promptsListChanged: true }),
    ...(wanted['resourcesListChanged'] === true && resources !== undefined && { resourcesListChanged: true }),
    ...(agreed.length > 0 && { resourceSubscriptions: agreed }),
  };
}

const FLAGS: Readonly<Record<string, string>> = {
  'notifications/tools/list_changed': 'toolsListChanged',
  'notifications/prompts/list_changed': 'promptsListChanged',
  'notifications/resources/list_changed': 'resourcesListChanged',
};

function isAgreed({ method, params }: { method: string; params?: Json | undefined }, agreed: Json): boolean {
  const flag = FLAGS[method];
  if (flag !== undefined) return agreed[flag] === true;
  const uris = agreed['resourceSubscriptions'];
  return method === 'notifications/resources/updated' && Array.isArray(uris) && uris.includes(params?.['uri'] ?? null);
}
