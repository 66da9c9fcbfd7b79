import { ProxyError } from '../../../base/proxy-error.ts';
import type { Answer, Received } from '../../../exchange/exchange.ts';
import { changedBy, type Outcome } from '../../../exchange/outcome.ts';
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
import { challenge } from './mcp/challenge.ts';
import { answerDiscovery, answerRegistered } from './mcp/discovery.ts';
import { compileOAuth, type OAuth } from './mcp/oauth.ts';
import { compileProvider, type Provider } from './provider.ts';
import { verifyToken } from './verify-token.ts';

export interface CompiledJWTAuthentication {
  readonly mode: NonNullable<JWTAuthentication['mode']>;
  readonly location: CredentialLocation;
  readonly providers: readonly Provider[];
  /** Set where clients of MCP servers are told how to get a token. */
  readonly oauth: OAuth | undefined;
}

/** Lets in who shows a token of one of the providers; its claims become `jwt` of expressions (JWT-022, JWT-024). */
export const jwtAuthentication: Policy<JWTAuthentication, CompiledJWTAuthentication> = {
  compile: (field, origin) => ({
    // JWT-001, JWT-017
    mode: field.mode ?? 'Strict',
    location: credentialLocation(field.location ?? BEARER),
    providers: field.providers.map((provider) => compileProvider(provider, origin)),
    oauth: compileOAuth(field),
  }),
  request: authenticateRequest,
};

/** What becomes of a request under `policy`. */
export function authenticateRequest(
  exchange: Received,
  policy: CompiledJWTAuthentication,
  services: Services,
): Outcome | Promise<Outcome> {
  const { oauth } = policy;
  // MCPAUTH-013: who has no token yet learns here how to get one.
  const discovered = oauth && answerDiscovery(exchange, oauth, services);
  if (discovered !== undefined) return whenReady(discovered, toOutcome);
  const judged = judge(exchange, policy, services);
  return oauth === undefined ? judged : whenReady(judged, (outcome) => register(exchange, outcome, oauth, services));
}

function judge(exchange: Received, policy: CompiledJWTAuthentication, services: Services): Outcome | Promise<Outcome> {
  return whenReady(prepareRequest(exchange, policy.location.readsBody), ({ exchange: read, variables }) => {
    const shown = policy.location.extract(read.request, variables);
    if (shown !== undefined) return authenticate(read, shown, policy, services);
    // JWT-001, JWT-015, JWT-016
    return policy.mode === 'Strict' ? refuseToken(read, policy, 'no bearer token found') : goOn(exchange, read);
  });
}

/** MCPAUTH-002, MCPAUTH-003: who was let in may register beside the resource too. */
function register(exchange: Received, outcome: Outcome, oauth: OAuth, services: Services): Outcome | Promise<Outcome> {
  if (outcome.kind === 'answer') return outcome;
  const registered = answerRegistered(changedBy(exchange, outcome), oauth, services);
  return registered === undefined ? outcome : registered.then(toOutcome);
}

function toOutcome(answer: Answer): Outcome {
  return { kind: 'answer', answer };
}

/** JWT-002. The token stops here: upstream sees the request without it. */
async function authenticate(
  exchange: Received,
  { credential, remove }: ShownCredential,
  policy: CompiledJWTAuthentication,
  services: Services,
): Promise<Outcome> {
  const { mode, providers } = policy;
  const verdict = await verifyToken(
    credential,
    providers,
    { keysOf: ({ keySet }) => keySet(exchange, services), services },
    exchange.clock.wall(),
  );
  if ('claims' in verdict) {
    const request = remove(exchange.request);
    return { kind: 'change', request, facts: { jwt: verdict.claims }, handover: { acceptedToken: credential } };
  }
  // JWT-016, JWT-021. A-001: a bad token is refused under Optional too.
  if (mode === 'Permissive') return { kind: 'change', request: exchange.request };
  return refuseToken(exchange, policy, verdict.reason);
}

/** JWT-020: the documents give no status and no challenge. */
function refuseToken(exchange: Received, { oauth }: CompiledJWTAuthentication, reason: string): Outcome {
  const failure = new ProxyError('authenticationFailed', reason);
  return oauth === undefined ? refuse(failure) : toOutcome(challenge(exchange, oauth, failure));
}
