import { Buffer } from 'node:buffer';
import { ProxyError } from '../../../../base/proxy-error.ts';
import { readBody } from '../../../../base/read-body.ts';
import { jsonMembers } from '../../../../credentials/json-members.ts';
import type { Services } from '../../../../credentials/services.ts';
import { bodyLimit } from '../../../../exchange/buffer-limit.ts';
import type { Answer, Received } from '../../../../exchange/exchange.ts';
import { askIssuer } from './ask-issuer.ts';
import { documentAnswer, methodAnswer, preflightAnswer, textAnswer } from './documents.ts';
import { identityProvider, issuerUrl } from './identity-providers.ts';
import type { OAuth } from './oauth.ts';

const METHODS = 'POST, OPTIONS';

/** Dynamic client registration (RFC 7591). Rejects with a ProxyError when the identity provider cannot be asked. */
export async function registration(exchange: Received, oauth: OAuth, services: Services): Promise<Answer> {
  const { method, body } = exchange.request;
  if (method === 'OPTIONS') return preflightAnswer(METHODS);
  if (method !== 'POST') return methodAnswer(METHODS);
  const { bytes, overflow } = await readBody(body, bodyLimit(exchange, 'request'));
  if (overflow) throw new ProxyError('bodyTooLarge');
  // MCPAUTH-003: the identity provider hears nothing of it.
  if (oauth.clientId !== undefined) return documentAnswer(201, knownClient(oauth.clientId, bytes), METHODS);
  const url = identityProvider(oauth).registrationUrl(issuerUrl(oauth));
  if (url === undefined) throw new ProxyError('upstreamCallFailed', 'the identity provider registers nobody');
  // MCPAUTH-002: what the client says of itself, and nothing of who it is.
  const said = await askIssuer(exchange, services, url, { type: 'application/json', bytes });
  const type = said.headers.get('content-type') ?? 'application/json';
  return textAnswer(said.status, [['content-type', type]], said.bytes, METHODS);
}

function knownClient(clientId: string, bytes: Uint8Array): object {
  const { redirect_uris: uris } = jsonMembers(Buffer.from(bytes).toString());
  return {
    client_id: clientId,
    client_id_issued_at: 0,
    token_endpoint_auth_method: 'none',
    grant_types: ['authorization_code'],
    response_types: ['code'],
    redirect_uris: Array.isArray(uris) ? (uris as readonly unknown[]) : [],
  };
}
