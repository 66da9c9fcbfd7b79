import { jsonReply } from '../http-exchange.ts';
import type { HttpReply, HttpRequest } from '../http-exchange.ts';
import { lendTo } from '../lending-failures.ts';
import { bearerToken } from '../lent-tokens.ts';
import { pathOf, queryOf } from '../target.ts';
import { wallClock } from '../wall-clock.ts';

/** What a host shows that asks for a token of its identity (`IDENTITY_HEADER`). */
export const IDENTITY_HEADER = 'header-of-the-identity';

const MACHINE = '/metadata/identity/oauth2/token';
const HOST = '/msi/token';
const TENANT = /^\/([^/]+)\/(oauth2\/v2\.0\/token|v2\.0\/\.well-known\/openid-configuration)$/;

/** Answers a request to one of the places where cloud B gives tokens; undefined for a request to anything else. */
export function lendCloudB(request: HttpRequest): HttpReply | undefined {
  const path = pathOf(request.target);
  if (path === MACHINE) return ofMachine(request);
  if (path === HOST) return ofHost(request);
  const [, tenant, endpoint = ''] = TENANT.exec(path) ?? [];
  if (tenant === undefined) return undefined;
  return endpoint.startsWith('oauth2') ? ofDirectory(tenant, request) : discovery(tenant, request);
}

/** A client whose secret is `secret-of-` and its id is known to every tenant. */
function ofDirectory(tenant: string, { method, body }: HttpRequest): HttpReply {
  const form = new URLSearchParams(body.toString());
  const [client, scope] = [form.get('client_id') ?? '', form.get('scope') ?? ''];
  if (method !== 'POST' || form.get('grant_type') !== 'client_credentials') return refuse('unsupported_grant_type');
  if (!/^\S+\/\.default(?: |$)/.test(scope)) return refuse('invalid_scope');
  const proof = proofOf(form, client);
  if (proof === undefined) return refuse('invalid_client');
  const token = bearerToken(`by-${proof}`, client, tenant, scope);
  const document = { token_type: 'Bearer', expires_in: 3599, ext_expires_in: 3599, access_token: token };
  return lendTo(tenant, jsonReply(JSON.stringify(document)));
}

function refuse(error: string): HttpReply {
  const status = error === 'invalid_client' ? 401 : 400;
  return jsonReply(JSON.stringify({ error, error_description: `${error}: refused` }), { status });
}

const ASSERTION = 'urn:ietf:params:oauth:client-assertion-type:jwt-bearer';

function proofOf(form: URLSearchParams, client: string): string | undefined {
  if (form.get('client_secret') === `secret-of-${client}`) return 'secret';
  const assertion = form.get('client_assertion') ?? '';
  return form.get('client_assertion_type') === ASSERTION && assertion.split('.').length === 3 ? 'assertion' : undefined;
}

function discovery(tenant: string, { headers }: HttpRequest): HttpReply {
  const host = headers.find(([name]) => name.toLowerCase() === 'host')?.[1] ?? '';
  const base = `https://${host}/${tenant}`;
  const document = {
    issuer: `${base}/v2.0`,
    authorization_endpoint: `${base}/oauth2/v2.0/authorize`,
    token_endpoint: `${base}/oauth2/v2.0/token`,
    jwks_uri: `${base}/discovery/v2.0/keys`,
  };
  return jsonReply(JSON.stringify(document));
}

/** The endpoint of every machine. It writes its numbers as texts. */
function ofMachine({ headers, target }: HttpRequest): HttpReply {
  if (!has(headers, 'metadata', 'true')) return jsonReply('{"error":"invalid_request"}', { status: 400 });
  return ofIdentity(new URLSearchParams(queryOf(target)), ['client_id', 'object_id', 'msi_res_id'], '2018-02-01');
}

/** The endpoint that a hosting environment names, which says only when a token ends. */
function ofHost({ headers, target }: HttpRequest): HttpReply {
  if (!has(headers, 'x-identity-header', IDENTITY_HEADER)) return jsonReply('{"statusCode":401}', { status: 401 });
  return ofIdentity(new URLSearchParams(queryOf(target)), ['client_id', 'principal_id', 'mi_res_id'], '2019-08-01');
}

function ofIdentity(query: URLSearchParams, names: readonly string[], version: string): HttpReply {
  const resource = query.get('resource') ?? '';
  const shown = names.filter((name) => query.has(name));
  if (query.get('api-version') !== version || resource === '' || shown.length > 1)
    return jsonReply('{"error":"invalid_request","error_description":"one identity, one resource"}', { status: 400 });
  const [name] = shown;
  const identity = name === undefined ? 'system' : (query.get(name) ?? '');
  const end = Math.floor(wallClock() / 1000) + 3599;
  const document = {
    access_token: bearerToken('by-identity', identity, resource),
    ...(version === '2018-02-01' ? { expires_in: '3599' } : {}),
    expires_on: String(end),
    resource,
    token_type: 'Bearer',
  };
  return lendTo(identity, jsonReply(JSON.stringify(document)));
}

function has(headers: HttpRequest['headers'], wanted: string, value: string): boolean {
  return headers.some(([name, text]) => name.toLowerCase() === wanted && text === value);
}
