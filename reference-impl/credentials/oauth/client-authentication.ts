import { Buffer } from 'node:buffer';
import type { Origin } from '../../attachment/policies/effective-policy.ts';
import type { Received } from '../../exchange/exchange.ts';
import type { OAuthClientAuth } from '../../resources/proxy-policy/fields/auth/oauth-client-auth.ts';
import type { LocalSecretKeyRef } from '../../resources/references.ts';
import { refuseToSend } from '../refuse-to-send.ts';
import { secretText } from '../secret-text.ts';
import type { Services } from '../services.ts';
import { clientAssertion } from './client-assertion.ts';
import type { Parameter } from './grant.ts';

/** What a client adds to a question to a token endpoint. */
export interface ClientProof {
  readonly parameters: readonly Parameter[];
  readonly authorization: string | undefined;
}

/** How the proxy names itself to a token endpoint, with the Secrets of the moment. */
export interface ClientAuthentication {
  /** Everything the proof depends on: whoever proves to be another client gets other tokens. */
  readonly content: readonly string[];
  readonly prove: (exchange: Received, services: Services) => ClientProof | Promise<ClientProof>;
}

/** Reads the Secrets of the configuration. Throws backendAuthenticationFailed when one is missing. */
export function clientAuthentication(
  field: OAuthClientAuth | undefined,
  origin: Origin,
  exchange: Received,
): ClientAuthentication {
  // OAUTH-013
  if (field === undefined) return { content: [], prove: () => NO_PROOF };
  const { clientId, method = 'ClientSecretBasic' } = field; // OAUTH-017
  if (method === 'PrivateKeyJwt') return byPrivateKey(field, origin, exchange);
  // OAUTH-019, OAUTH-020
  const secret = field.secretRef && secretOf(field.secretRef, 'clientSecret', origin, exchange);
  const proof = method === 'ClientSecretPost' ? inForm(clientId, secret) : inHeader(clientId, secret ?? '');
  return { content: [method, clientId, JSON.stringify(secret ?? null)], prove: () => proof };
}

const NO_PROOF: ClientProof = { parameters: [], authorization: undefined };

/** OAUTH-018 */
function inForm(clientId: string, secret: string | undefined): ClientProof {
  const parameters: Parameter[] = [['client_id', clientId]];
  if (secret !== undefined) parameters.push(['client_secret', secret]);
  return { parameters, authorization: undefined };
}

/** RFC 6749, section 2.3.1: both halves as a form encodes them, so that a colon in the id ends nothing. */
function inHeader(clientId: string, secret: string): ClientProof {
  const pair = `${formEncoded(clientId)}:${formEncoded(secret)}`;
  return { parameters: [], authorization: `Basic ${Buffer.from(pair).toString('base64')}` };
}

function formEncoded(text: string): string {
  return new URLSearchParams([['', text]]).toString().slice(1);
}

function byPrivateKey(
  { clientId, privateKeyJwt: jwt }: OAuthClientAuth,
  origin: Origin,
  exchange: Received,
): ClientAuthentication {
  if (jwt === undefined) return refuseToSend('PrivateKeyJwt has no key');
  // OAUTH-024, OAUTH-025
  const key = secretOf(jwt.signingKeyRef, 'signingKey', origin, exchange);
  const certificate = jwt.certificateRef && secretOf(jwt.certificateRef, 'certificate', origin, exchange);
  return {
    content: ['PrivateKeyJwt', clientId, JSON.stringify([jwt, key, certificate ?? null])],
    prove: async (now, services) => {
      const assertion = await clientAssertion({ clientId, jwt, secrets: { key, certificate } }, now, services);
      const parameters: Parameter[] = [
        ['client_id', clientId],
        ['client_assertion_type', 'urn:ietf:params:oauth:client-assertion-type:jwt-bearer'],
        ['client_assertion', assertion],
      ];
      return { parameters, authorization: undefined };
    },
  };
}

function secretOf(ref: LocalSecretKeyRef, defaultKey: string, { namespace }: Origin, { view }: Received): string {
  const { name, key } = ref;
  const secret = view.references.secret(ref, namespace);
  const text = secret && secretText(secret, key ?? defaultKey);
  return text ?? refuseToSend(`Secret ${namespace}/${name} has no key ${key ?? defaultKey}`);
}
