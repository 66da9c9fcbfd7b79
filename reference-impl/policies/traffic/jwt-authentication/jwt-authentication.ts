import { ProxyError } from '../../../base/proxy-error.ts';
import type { Received } from '../../../exchange/exchange.ts';
import type { Outcome } from '../../../exchange/outcome.ts';
import { refuse } from '../../../exchange/refusal.ts';
import type { JWTAuthentication } from '../../../resources/proxy-policy/fields/jwt-authentication.ts';
import { BEARER } from '../../../resources/proxy-policy/fields/location.ts';
import type { Services } from '../../../credentials/services.ts';
import {
  credentialLocation,
  type CredentialLocation,
  type ShownCredential,
} from '../../../credentials/credential-location.ts';
import { goOn, prepareRequest, whenReady } from '../../expression-input.ts';
import type { Policy } from '../../policy.ts';
import { compileProvider, type Provider } from './provider.ts';
import { verifyToken } from './verify-token.ts';

export interface CompiledJWTAuthentication {
  readonly mode: NonNullable<JWTAuthentication['mode']>;
  readonly location: CredentialLocation;
  readonly providers: readonly Provider[];
}

/** Lets in who shows a token of one of the providers; its claims become `jwt` of expressions (JWT-022, JWT-024). */
export const jwtAuthentication: Policy<JWTAuthentication, CompiledJWTAuthentication> = {
  compile: (field, origin) => ({
    // JWT-001, JWT-017
    mode: field.mode ?? 'Strict',
    location: credentialLocation(field.location ?? BEARER),
    providers: field.providers.map((provider) => compileProvider(provider, origin)),
  }),

  request: (exchange, policy, services) =>
    whenReady(prepareRequest(exchange, policy.location.readsBody), ({ exchange: read, variables }) => {
      const shown = policy.location.extract(read.request, variables);
      if (shown !== undefined) return authenticate(read, shown, policy, services);
      // JWT-001, JWT-015, JWT-016
      return policy.mode === 'Strict' ? refuseToken('no bearer token found') : goOn(exchange, read);
    }),
};

/** JWT-002. The token stops here: upstream sees the request without it. */
async function authenticate(
  exchange: Received,
  { credential, remove }: ShownCredential,
  { mode, providers }: CompiledJWTAuthentication,
  services: Services,
): Promise<Outcome> {
  const verdict = await verifyToken(
    credential,
    providers,
    ({ keySet }) => keySet(exchange, services),
    exchange.clock.wall(),
  );
  if ('claims' in verdict) {
    const request = remove(exchange.request);
    return { kind: 'change', request, facts: { jwt: verdict.claims }, handover: { acceptedToken: credential } };
  }
  // JWT-016, JWT-021. A-001: a bad token is refused under Optional too.
  return mode === 'Permissive' ? { kind: 'change', request: exchange.request } : refuseToken(verdict.reason);
}

/** JWT-020: the documents give no status and no challenge. */
function refuseToken(reason: string): Outcome {
  return refuse(new ProxyError('authenticationFailed', reason));
}
