import { Buffer } from 'node:buffer';
import { HeaderMap } from '../../../../base/headers.ts';
import { ProxyError } from '../../../../base/proxy-error.ts';
import { readBody } from '../../../../base/read-body.ts';
import type { Services } from '../../../../credentials/services.ts';
import { bodyLimit } from '../../../../exchange/buffer-limit.ts';
import type { Answer, Received } from '../../../../exchange/exchange.ts';
import { splitTarget } from '../../../../exchange/request-state.ts';
import { askIssuer } from './ask-issuer.ts';
import { issuerMetadata } from './authorization-server.ts';
import { methodAnswer, textAnswer } from './documents.ts';
import { identityProvider } from './identity-providers.ts';
import type { OAuth } from './oauth.ts';

/** Sends a browser on to the identity provider, without what that refuses. Rejects when the provider says nothing. */
export async function authorize(exchange: Received, oauth: OAuth, services: Services): Promise<Answer> {
  const url = new URL(await endpointOf('authorization_endpoint', exchange, oauth, services));
  const asked = new URLSearchParams(splitTarget(exchange.asked.target).query);
  for (const [name, value] of asked) if (isTaken(name, oauth)) url.searchParams.append(name, value);
  return { status: 302, headers: HeaderMap.of([['location', url.href]]), body: undefined, from: 'policy' };
}

/** MCPAUTH-008: asks for a token with the secret of the client. Rejects when the identity provider cannot be asked. */
export async function token(exchange: Received, oauth: OAuth, services: Services): Promise<Answer> {
  if (exchange.request.method !== 'POST') return methodAnswer('POST');
  const { bytes, overflow } = await readBody(exchange.request.body, bodyLimit(exchange, 'request'));
  if (overflow) throw new ProxyError('bodyTooLarge');
  const form = new URLSearchParams(Buffer.from(bytes).toString());
  for (const name of new Set(form.keys())) if (!isTaken(name, oauth)) form.delete(name);
  addSecret(form, exchange, oauth);
  const url = await endpointOf('token_endpoint', exchange, oauth, services);
  const posted = { type: 'application/x-www-form-urlencoded', bytes: Buffer.from(form.toString()) };
  const said = await askIssuer(exchange, services, url, posted);
  const fields = [
    ['content-type', said.headers.get('content-type') ?? 'application/json'],
    ['cache-control', 'no-store'],
  ] as const;
  return textAnswer(said.status, fields, said.bytes, 'POST, OPTIONS');
}

function isTaken(name: string, oauth: OAuth): boolean {
  return name !== 'resource' || !identityProvider(oauth).refusesResource;
}

/** Only for the client the secret belongs to, and only for the grants of its users. */
function addSecret(form: URLSearchParams, exchange: Received, { clientId, clientSecret }: OAuth): void {
  const isOurs = clientId === undefined || form.get('client_id') === clientId;
  if (!isOurs || clientSecret === undefined || !GRANTS.has(form.get('grant_type') ?? '')) return;
  const secret = clientSecret(exchange);
  if (secret === undefined) throw new ProxyError('upstreamCallFailed', 'the client secret is not there');
  form.set('client_secret', secret);
}

const GRANTS: ReadonlySet<string> = new Set(['authorization_code', 'refresh_token']);

async function endpointOf(member: string, exchange: Received, oauth: OAuth, services: Services): Promise<string> {
  const { [member]: endpoint } = await issuerMetadata(exchange, oauth, services);
  if (typeof endpoint !== 'string' || URL.parse(endpoint) === null)
    throw new ProxyError('upstreamCallFailed', `the issuer has no ${member}`);
  return endpoint;
}
