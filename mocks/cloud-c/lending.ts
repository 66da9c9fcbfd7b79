import { createPrivateKey, createPublicKey, sign, verify } from 'node:crypto';
import { jsonReply } from '../http-exchange.ts';
import type { HttpReply, HttpRequest } from '../http-exchange.ts';
import { lendTo } from '../lending-failures.ts';
import { parseJsonObject } from '../json.ts';
import type { Json } from '../json.ts';
import { bearerToken } from '../lent-tokens.ts';
import { suiteSigningKeys } from '../signing-keys.ts';
import { pathOf, queryOf } from '../target.ts';
import { wallClock } from '../wall-clock.ts';

const ACCOUNT = 'instance/service-accounts/default/';
const MARK = { 'metadata-flavor': 'Google' };
const GRANT = 'urn:ietf:params:oauth:grant-type:jwt-bearer';
const PUBLIC_AUDIENCE = 'https://oauth2.googleapis.com/token';

/** What an operator keeps in a Secret: the key of an account, and where its tokens come from. */
export function accountCredentials(account: string, tokenUrl: string): string {
  return JSON.stringify({
    type: 'service_account',
    project_id: 'project-1',
    private_key_id: 'k1',
    private_key: suiteSigningKeys.rsa.pkcs8,
    client_email: `${account}@project-1.example`,
    client_id: '100000000000000000001',
    token_uri: tokenUrl,
  });
}

/** The credentials of a user who once allowed the proxy to act for him. */
export function userCredentials(user: string, tokenUrl: string): string {
  return JSON.stringify({
    type: 'authorized_user',
    client_id: 'cli',
    client_secret: 'secret-of-cli',
    refresh_token: `refresh-${user}`,
    token_uri: tokenUrl,
  });
}

/** Answers a request to one of the places where cloud C gives tokens; undefined for a request to anything else. */
export function lendCloudC(request: HttpRequest): HttpReply | undefined {
  const path = pathOf(request.target);
  if (path === '/computeMetadata/' || path.startsWith('/computeMetadata/v1/')) return metadata(request);
  // Where some libraries ask first whether anybody is there.
  if (path === '/' && request.method === 'GET' && isMarked(request)) return { status: 200, headers: MARK };
  return path === '/token' && request.method === 'POST' ? ofTokenServer(request) : undefined;
}

/** Clients mark their requests, and look for the same mark. */
function metadata(request: HttpRequest): HttpReply {
  if (!isMarked(request)) return { status: 403, headers: MARK };
  const what = pathOf(request.target).slice('/computeMetadata/v1/'.length);
  const query = new URLSearchParams(queryOf(request.target));
  const audience = query.get('audience');
  if (what === `${ACCOUNT}identity` && audience !== null) {
    const good = {
      status: 200,
      headers: { ...MARK, 'content-type': 'text/html' },
      body: idToken('platform', audience),
    };
    return lendTo(audience, good);
  }
  // Some libraries ask about the account before they ask for its token.
  if (what === ACCOUNT && query.get('recursive') === 'true') return marked(ABOUT);
  if (what === `${ACCOUNT}token`)
    return marked({ access_token: 'token-of-the-platform', expires_in: 3599, token_type: 'Bearer' });
  const text = TEXTS.get(what);
  return text === undefined
    ? { status: 404, headers: MARK }
    : { status: 200, headers: { ...MARK, 'content-type': 'application/text' }, body: text };
}

const ABOUT = {
  aliases: ['default'],
  email: 'platform@project-1.example',
  scopes: ['https://www.googleapis.com/auth/cloud-platform'],
};

const TEXTS: ReadonlyMap<string, string> = new Map([
  ['instance', 'service-accounts/\n'],
  [`${ACCOUNT}email`, ABOUT.email],
  [`${ACCOUNT}scopes`, `${ABOUT.scopes.join('\n')}\n`],
  ['project/project-id', 'project-1'],
]);

function isMarked({ headers }: HttpRequest): boolean {
  return headers.some(([name, value]) => name.toLowerCase() === 'metadata-flavor' && value === 'Google');
}

function marked(document: Json): HttpReply {
  return jsonReply(JSON.stringify(document), { headers: MARK });
}

function ofTokenServer({ body, headers }: HttpRequest): HttpReply {
  const form = new URLSearchParams(body.toString());
  const grant = form.get('grant_type');
  const host = headers.find(([name]) => name.toLowerCase() === 'host')?.[1] ?? '';
  if (grant === GRANT) return ofAssertion(form.get('assertion') ?? '', host);
  const user = /^refresh-(.+)$/.exec(form.get('refresh_token') ?? '')?.[1];
  const isKnown = form.get('client_id') === 'cli' && form.get('client_secret') === 'secret-of-cli';
  if (grant !== 'refresh_token' || user === undefined || !isKnown) return refuse('invalid_grant');
  return accessToken(bearerToken('by-user', user));
}

/** RFC 7523. What it states is whom it is for, and either a scope or the audience of an ID token. */
function ofAssertion(assertion: string, host: string): HttpReply {
  const [header = '', payload = '', signature = ''] = assertion.split('.');
  const key = createPublicKey(suiteSigningKeys.rsa.public);
  const isSigned = verify('sha256', Buffer.from(`${header}.${payload}`), key, Buffer.from(signature, 'base64url'));
  const { alg, kid } = decodePart(header);
  // Some libraries do not name the key.
  if (!isSigned || alg !== 'RS256' || (kid !== undefined && kid !== 'k1')) return refuse('invalid_grant');
  const { iss, aud, iat, exp, scope, target_audience: target } = decodePart(payload);
  const isInTime = Number(exp) - Number(iat) <= 3600 && Number(exp) > now();
  if (!isInTime || ![PUBLIC_AUDIENCE, `http://${host}/token`, `https://${host}/token`].includes(String(aud)))
    return refuse('invalid_grant');
  const account = String(iss).split('@', 1)[0] ?? '';
  if (typeof target === 'string')
    return lendTo(target, jsonReply(JSON.stringify({ id_token: idToken(account, target) })));
  return typeof scope === 'string' ? accessToken(bearerToken('by-account', account, scope)) : refuse('invalid_scope');
}

function accessToken(token: string): HttpReply {
  return jsonReply(JSON.stringify({ access_token: token, expires_in: 3599, token_type: 'Bearer' }));
}

function refuse(error: string): HttpReply {
  return jsonReply(JSON.stringify({ error, error_description: 'refused' }), { status: 400 });
}

/** Signed with ES256 by the key `suite.signing.ec256`. */
function idToken(account: string, audience: string): string {
  const claims = {
    iss: 'https://accounts.example',
    aud: audience,
    azp: account,
    email: `${account}@project-1.example`,
    email_verified: true,
    sub: account,
    iat: now(),
    exp: now() + 3600,
  };
  const input = `${encode({ alg: 'ES256', typ: 'JWT', kid: 'k1' })}.${encode(claims)}`;
  const key = createPrivateKey(suiteSigningKeys.ec256.pkcs8);
  const signature = sign('sha256', Buffer.from(input), { key, dsaEncoding: 'ieee-p1363' });
  return `${input}.${signature.toString('base64url')}`;
}

function encode(value: object): string {
  return Buffer.from(JSON.stringify(value)).toString('base64url');
}

function decodePart(part: string): Json {
  return parseJsonObject(Buffer.from(part, 'base64url').toString()) ?? {};
}

/** Seconds since 1970. */
function now(): number {
  return Math.floor(wallClock() / 1000);
}
