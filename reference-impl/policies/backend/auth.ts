import type { Origin } from '../../attachment/policies/effective-policy.ts';
import { cloudASigner, type CloudASigner } from '../../credentials/cloud-a/cloud-a-signer.ts';
import { cloudBTokens } from '../../credentials/cloud-b/cloud-b-tokens.ts';
import { cloudCTokens } from '../../credentials/cloud-c/cloud-c-tokens.ts';
import { jwtSign } from '../../credentials/jwt-sign.ts';
import { crossAppAccess } from '../../credentials/oauth/cross-app-access.ts';
import { tokenExchange } from '../../credentials/oauth/token-exchange.ts';
import { putCredential } from '../../credentials/put-credential.ts';
import type { LentCredential } from '../../credentials/lent-credential.ts';
import { refuseToSend } from '../../credentials/refuse-to-send.ts';
import { secretText } from '../../credentials/secret-text.ts';
import { bearerToken } from '../../credentials/token-source.ts';
import type { Services } from '../../credentials/services.ts';
import type { Request, Targeted } from '../../exchange/exchange.ts';
import { CONTINUE, type Outcome } from '../../exchange/outcome.ts';
import type { BackendAuth } from '../../resources/proxy-policy/fields/auth/backend-auth.ts';
import { BEARER, type AuthorizationLocation } from '../../resources/proxy-policy/fields/location.ts';
import type { LocalSecretKeyRef } from '../../resources/references.ts';
import { prepareRequest, whenReady } from '../expression-input.ts';
import type { Policy } from '../policy.ts';

/** How the proxy identifies itself: credentials, each with its place, and a signature over the whole request. */
export interface CompiledAuth {
  readonly lent: LentCredential | undefined;
  readonly placed: readonly Placed[];
  readonly signer: CloudASigner | undefined;
}

interface Placed {
  readonly location: AuthorizationLocation;
  /** Undefined when there is none to show. Throws backendAuthenticationFailed when it should be there and is not. */
  readonly credential: (exchange: Targeted) => string | undefined;
}

/** Puts the credentials of the proxy on the request to the backend (BAUTH-001 to BAUTH-011). */
export const auth: Policy<BackendAuth, CompiledAuth, Targeted> = {
  compile: (field, origin) => {
    const { credentials = [], location = BEARER, cloudA } = field;
    const primary = primaryOf(field, origin);
    // BAUTH-009, BAUTH-011; for one place the last counts (BAUTH-037): docs/decisions/backend-credentials.md
    const more = credentials.map((one) => ({ location: one.location, credential: fromSecret(one.secretRef, origin) }));
    return {
      lent: lentCredential(field, origin),
      placed: primary === undefined ? more : [{ location, credential: primary }, ...more],
      signer: cloudA && cloudASigner(cloudA, origin),
    };
  },

  request: (exchange, policy, services) => {
    const { lent, signer } = policy;
    if (lent !== undefined) return showLent(exchange, policy, lent, services);
    if (signer === undefined) return outcomeOf(exchange, placeAll(exchange, policy));
    return whenReady(prepareRequest(exchange, signer.readsBody), ({ exchange: read, variables }) => ({
      kind: 'change',
      request: placeAll(read, policy),
      handover: { sign: signer.signFor(variables, services) },
    }));
  },
};

/** The mechanisms whose credential is asked for, or made, for each request. */
function lentCredential(field: BackendAuth, origin: Origin): LentCredential | undefined {
  const { oauthTokenExchange, crossAppAccess: chained, jwtSign: signed, cloudB, cloudC } = field;
  if (oauthTokenExchange !== undefined) return tokenExchange(oauthTokenExchange, origin);
  if (chained !== undefined) return crossAppAccess(chained, origin);
  if (signed !== undefined) return jwtSign(signed, origin);
  if (cloudB !== undefined) return bearerToken(cloudBTokens(cloudB, origin));
  return cloudC && bearerToken(cloudCTokens(cloudC, origin));
}

/** The request with the lent credential instead of what the client showed for it. Rejects when there is none. */
async function showLent(
  exchange: Targeted,
  policy: CompiledAuth,
  lent: LentCredential,
  services: Services,
): Promise<Outcome> {
  const { exchange: read, variables } = await prepareRequest(exchange, lent.readsBody);
  const request = await lent.show(read, variables, services);
  return outcomeOf(exchange, placeAll({ ...read, request }, policy));
}

function placeAll(exchange: Targeted, { placed }: CompiledAuth): Request {
  return placed.reduce((now, { location, credential }) => {
    const text = credential(exchange);
    return text === undefined ? now : putCredential(now, location, text);
  }, exchange.request);
}

function outcomeOf(before: Targeted, request: Request): Outcome {
  return request === before.request ? CONTINUE : { kind: 'change', request };
}

type Credential = Placed['credential'];

function primaryOf(field: BackendAuth, origin: Origin): Credential | undefined {
  const { key, secretRef, passthrough } = field;
  if (key !== undefined) return () => key;
  if (secretRef !== undefined) return fromSecret(secretRef, origin);
  // BAUTH-007, BAUTH-008: only a token that a policy has checked is there to be shown again. docs/decisions/backend-credentials.md
  return passthrough && (({ handover }) => handover.acceptedToken);
}

/** BAUTH-004, BAUTH-010 */
const DEFAULT_KEY = 'Authorization';

function fromSecret(ref: LocalSecretKeyRef, { namespace }: Origin): Credential {
  const { name, key = DEFAULT_KEY } = ref;
  return ({ view }) => {
    const secret = view.references.secret(ref, namespace);
    const text = (secret && secretText(secret, key)?.trim()) ?? '';
    // BAUTH-005, BAUTH-006
    const shown = key === DEFAULT_KEY ? text.replace(/^bearer(?: +|$)/i, '') : text;
    // BAUTH-038: docs/decisions/backend-credentials.md
    if (shown === '') return refuseToSend(`Secret ${namespace}/${name} has no key ${key}`);
    return shown;
  };
}
