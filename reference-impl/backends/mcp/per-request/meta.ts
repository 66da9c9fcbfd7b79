import { asObject, asString, isJson, type Json, memberAt } from '../../json.ts';
import type { Message, Request } from '../message.ts';
import { PER_REQUEST } from '../versions.ts';

/*
 * What a request of the revision without sessions says about itself, in `_meta`.
 */

export const VERSION = 'io.modelcontextprotocol/protocolVersion';
export const CLIENT_INFO = 'io.modelcontextprotocol/clientInfo';
export const CAPABILITIES = 'io.modelcontextprotocol/clientCapabilities';
export const LOG_LEVEL = 'io.modelcontextprotocol/logLevel';
export const SUBSCRIPTION = 'io.modelcontextprotocol/subscriptionId';
export const SERVER_INFO = 'io.modelcontextprotocol/serverInfo';

/** What a message says under one of these names. */
export function metaIn(message: Message | undefined, name: string): unknown {
  if (message === undefined || message.kind === 'response') return undefined;
  return memberAt(message.params, ['_meta', name]);
}

/** The request of a client that has a session, as a server without sessions wants it: the proxy asks in its own name, for what the client can. */
export function withMeta(request: Request, { capabilities = {}, logLevel }: SaidInSession = {}): Request {
  const said = {
    [VERSION]: PER_REQUEST,
    [CLIENT_INFO]: PROXY,
    [CAPABILITIES]: capabilities,
    ...(logLevel !== undefined && { [LOG_LEVEL]: logLevel }),
  };
  return { ...request, params: { ...request.params, _meta: { ...asObject(request.params?.['_meta']), ...said } } };
}

/** What clients with sessions say once. */
export interface SaidInSession {
  readonly capabilities?: Json | undefined;
  readonly logLevel?: string | undefined;
}

/** The request of a client without a session, as a server with sessions knows it. */
export function withoutMeta(request: Request): Request {
  const meta = asObject(request.params?.['_meta']);
  if (meta === undefined) return request;
  const kept = Object.entries(meta).filter(([name]) => !OWN.has(name));
  const { _meta: _, ...rest } = request.params ?? {};
  return { ...request, params: kept.length === 0 ? rest : { ...rest, _meta: Object.fromEntries(kept) } };
}

/** How the proxy introduces itself. */
export const PROXY = { name: 'refproxy', version: '1' } as const;

/** How a server introduces itself in a result, wherever it does. */
export function serverInfoIn(result: Json): Json | undefined {
  const info = memberAt(result, ['_meta', SERVER_INFO]) ?? result['serverInfo'];
  return isJson(info) && asString(info['name']) !== undefined ? info : undefined;
}

const OWN: ReadonlySet<string> = new Set([VERSION, CLIENT_INFO, CAPABILITIES, LOG_LEVEL]);
