import type { Origin } from '../../attachment/policies/effective-policy.ts';
import { cloudASigner } from '../../credentials/cloud-a/cloud-a-signer.ts';
import { jwtSign } from '../../credentials/jwt-sign.ts';
import { crossAppAccess } from '../../credentials/oauth/cross-app-access.ts';
import { tokenExchange } from '../../credentials/oauth/token-exchange.ts';
import { putCredential } from '../../credentials/put-credential.ts';
import type { LentCredential } from '../../credentials/lent-credential.ts';
import { refuseToSend } from '../../credentials/refuse-to-send.ts';
import { secretText } from '../../credentials/secret-text.ts';
import type { Services } from '../../credentials/services.ts';
import type { Sign, Targeted } from '../../exchange/exchange.ts';
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
  readonly sign: Sign | undefined;
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
    // BAUTH-009, BAUTH-011
    const more = credentials.map((one) => ({ location: one.location, credential: fromSecret(one.secretRef, origin) }));
    return {
      lent: lentCredential(field, origin),
      placed: primary === undefined ? more : [{ location, credential: primary }, ...more],
      sign: cloudA && cloudASigner(cloudA, origin),
    };
  },

  request: (exchange, policy, services) => {
    const lent = policy.lent === undefined ? exchange : showLent(exchange, policy.lent, services);
    return whenReady(lent, ({ request }) => placeAll({ ...exchange, request }, policy, exchange));
  },
};

/** The mechanisms whose credential is asked for, or made, for each request. */
function lentCredential(field: BackendAuth, origin: Origin): LentCredential | undefined {
  if (field.oauthTokenExchange !== undefined) return tokenExchange(field.oauthTokenExchange, origin);
  if (field.crossAppAccess !== undefined) return crossAppAccess(field.crossAppAccess, origin);
  return field.jwtSign && jwtSign(field.jwtSign, origin);
}

/** The exchange with the lent credential instead of what the client showed for it. Rejects when there is none. */
async function showLent(exchange: Targeted, lent: LentCredential, services: Services): Promise<Targeted> {
  const { exchange: read, variables } = await prepareRequest(exchange, lent.readsBody);
  return { ...read, request: await lent.show(read, variables, services) };
}

function placeAll(exchange: Targeted, { placed, sign }: CompiledAuth, before: Targeted): Outcome {
  const request = placed.reduce((now, { location, credential }) => {
    const text = credential(exchange);
    return text === undefined ? now : putCredential(now, location, text);
  }, exchange.request);
  if (sign !== undefined) return { kind: 'change', request, handover: { sign } };
  return request === before.request ? CONTINUE : { kind: 'change', request };
}

type Credential = Placed['credential'];

function primaryOf(field: BackendAuth, origin: Origin): Credential | undefined {
  const { key, secretRef, passthrough } = field;
  if (key !== undefined) return () => key;
  if (secretRef !== undefined) return fromSecret(secretRef, origin);
  // BAUTH-007, BAUTH-008: only what a policy has checked is there to be shown again.
  if (passthrough !== undefined) return ({ handover }) => handover.acceptedToken;
  const other = OTHERS.find((name) => field[name] !== undefined);
  return other === undefined
    ? undefined
    : () => refuseToSend(`backend authentication with ${other} is not implemented`);
}

/** Without its credential a request is not sent, rather than sent without. */
const OTHERS = ['cloudB', 'cloudC'] as const;

/** BAUTH-004, BAUTH-010 */
const DEFAULT_KEY = 'Authorization';

function fromSecret({ name, key = DEFAULT_KEY }: LocalSecretKeyRef, { namespace }: Origin): Credential {
  return ({ view }) => {
    const secret = view.references.secret(name, namespace);
    const text = secret && secretText(secret, key)?.trim();
    if (text === undefined) return refuseToSend(`Secret ${namespace}/${name} has no key ${key}`);
    // BAUTH-005, BAUTH-006
    return key === DEFAULT_KEY ? text.replace(/^bearer +/i, '') : text;
  };
}
