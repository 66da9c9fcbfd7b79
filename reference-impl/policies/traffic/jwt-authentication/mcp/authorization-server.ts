import { Buffer } from 'node:buffer';
import { ProxyError } from '../../../../base/proxy-error.ts';
import { jsonMembers } from '../../../../credentials/json-members.ts';
import type { Services } from '../../../../credentials/services.ts';
import type { Answer, Received } from '../../../../exchange/exchange.ts';
import { origin, SERVER } from './addresses.ts';
import { askIssuer } from './ask-issuer.ts';
import { documentAnswer } from './documents.ts';
import { identityProvider, issuerUrl } from './identity-providers.ts';
import { isFront, type OAuth } from './oauth.ts';

export type Metadata = Readonly<Record<string, unknown>>;

/** MCPAUTH-001: the metadata of the identity provider (RFC 8414), as clients of the proxy are to see it. */
export async function authorizationServer(
  exchange: Received,
  oauth: OAuth,
  path: string,
  services: Services,
): Promise<Answer> {
  const found = await issuerMetadata(exchange, oauth, services);
  return documentAnswer(200, { ...found, ...changedMembers(exchange, oauth, path, found) });
}

/** What the identity provider says of itself. Rejects with a ProxyError when it says nothing. */
export async function issuerMetadata(exchange: Received, oauth: OAuth, services: Services): Promise<Metadata> {
  const { status, bytes } = await askIssuer(exchange, services, identityProvider(oauth).metadataUrl(issuerUrl(oauth)));
  const metadata = jsonMembers(status === 200 ? Buffer.from(bytes).toString() : '');
  // RFC 8414, section 2: without its issuer it is none.
  if (typeof metadata['issuer'] !== 'string') throw new ProxyError('upstreamCallFailed', 'the issuer has no metadata');
  return metadata;
}

function changedMembers(exchange: Received, oauth: OAuth, path: string, found: Metadata): Metadata {
  if (!isFront(oauth)) return {};
  const { asksForAudience, refusesResource, registersHere } = identityProvider(oauth);
  const here = `${origin(exchange)}${SERVER}${path}`;
  // MCPAUTH-010: the proxy authenticates for the client, so clients ask the proxy for tokens.
  const asksHere = refusesResource || oauth.clientSecret !== undefined;
  return {
    issuer: `${origin(exchange)}${path}`,
    ...(asksForAudience && withAudience(found, oauth)),
    // MCPAUTH-002, MCPAUTH-003
    ...((registersHere || oauth.clientId !== undefined) && { registration_endpoint: `${here}/client-registration` }),
    ...(refusesResource && { authorization_endpoint: `${here}/authorize`, code_challenge_methods_supported: ['S256'] }),
    ...(asksHere && { token_endpoint: `${here}/token` }),
  };
}

function withAudience(found: Metadata, { audience }: OAuth): Metadata {
  const endpoint = found['authorization_endpoint'];
  const url = typeof endpoint === 'string' ? URL.parse(endpoint) : null;
  if (url === null || audience === undefined) return {};
  url.searchParams.append('audience', audience);
  return { authorization_endpoint: url.href };
}
