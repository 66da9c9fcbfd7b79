import type { Origin } from '../../attachment/policies/effective-policy.ts';
import { perObject } from '../../base/per-object.ts';
import { credentialLocation } from '../../credentials/credential-location.ts';
import { remoteKeySet } from '../../credentials/key-sets/remote-key-set.ts';
import { secretText } from '../../credentials/secret-text.ts';
import type { Services } from '../../credentials/services.ts';
import type { Answer, Targeted } from '../../exchange/exchange.ts';
import { changedBy } from '../../exchange/outcome.ts';
import {
  authenticateRequest,
  type CompiledJWTAuthentication,
} from '../../policies/traffic/jwt-authentication/jwt-authentication.ts';
import { BEARER } from '../../resources/proxy-policy/fields/location.ts';
import type { MCPAuthentication } from '../../resources/proxy-policy/fields/mcp/backend-mcp.ts';

/**
 * MCPAUTH-012, VERSION-004: the deprecated way to say who may speak to an mcp backend; it authenticates as the traffic
 * policy does (MCPAUTH-014). A request that the traffic policy let in has shown its token already, and has none left.
 */
export async function authenticate(exchange: Targeted, services: Services): Promise<Targeted | Answer> {
  const { mcp, sources } = exchange.backend.policies;
  if (mcp?.authentication === undefined) return exchange;
  const policy = compiled(mcp.authentication)(sources['mcp']?.[0] ?? NOBODY);
  const outcome = await authenticateRequest(exchange, policy, services);
  return outcome.kind === 'answer' ? outcome.answer : changedBy(exchange, outcome);
}

const NOBODY: Origin = { kind: 'ProxyPolicy', namespace: '', name: '' };

const compiled = perObject((field: MCPAuthentication) =>
  perObject((origin: Origin): CompiledJWTAuthentication => {
    const { issuer, audiences, jwks, mode, provider, resourceMetadata = {}, clientId, clientSecretRef } = field;
    return {
      // MCPAUTH-007
      mode: mode ?? 'Strict',
      location: credentialLocation(BEARER),
      providers: [{ issuer, audiences, keySet: remoteKeySet(jwks, origin) }],
      oauth: {
        idp: provider,
        issuer: issuer ?? '',
        audience: audiences?.[0],
        resourceMetadata,
        clientId,
        clientSecret: clientSecretRef && secretOf(clientSecretRef, origin),
      },
    };
  }),
);

function secretOf(
  ref: NonNullable<MCPAuthentication['clientSecretRef']>,
  { namespace }: Origin,
): (exchange: Pick<Targeted, 'view'>) => string | undefined {
  const { key = 'clientSecret' } = ref; // MCPAUTH-009
  return ({ view }) => {
    const secret = view.references.secret(ref, namespace);
    return secret && secretText(secret, key);
  };
}
