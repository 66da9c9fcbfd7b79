import { ProxyError } from '../../../base/proxy-error.ts';
import { refuse } from '../../../exchange/refusal.ts';
import type { APIKeyAuthentication } from '../../../resources/proxy-policy/fields/api-key-authentication.ts';
import { BEARER } from '../../../resources/proxy-policy/fields/location.ts';
import { credentialLocation, type CredentialLocation } from '../../../credentials/credential-location.ts';
import { goOn, prepareRequest, whenReady } from '../../expression-input.ts';
import type { Policy } from '../../policy.ts';
import { type KeySource, keySource } from './key-source.ts';

export interface CompiledAPIKeyAuthentication {
  readonly mode: NonNullable<APIKeyAuthentication['mode']>;
  readonly location: CredentialLocation;
  readonly keys: KeySource;
}

/**
 * Lets in who shows a key; what stands beside the key becomes `apiKey` of expressions (APIKEY-012).
 * docs/decisions/client-credentials.md
 */
export const apiKeyAuthentication: Policy<APIKeyAuthentication, CompiledAPIKeyAuthentication> = {
  compile: (field, { namespace }) => ({
    mode: field.mode ?? 'Strict',
    location: credentialLocation(field.location ?? BEARER),
    keys: keySource(field, namespace),
  }),

  request: (exchange, { mode, location, keys }) =>
    whenReady(prepareRequest(exchange, location.readsBody), ({ exchange: read, variables }) => {
      const shown = location.extract(read.request, variables);
      // APIKEY-001, APIKEY-004, APIKEY-006
      if (shown === undefined) return mode === 'Strict' ? refuseKey('no API Key found') : goOn(exchange, read);
      const entry = keys(exchange.view)(shown.credential);
      // APIKEY-002, APIKEY-006. A-001: a wrong key is refused under Optional too.
      if (entry === undefined) return mode === 'Permissive' ? goOn(exchange, read) : refuseKey('invalid credentials');
      const apiKey = { key: '<redacted>', ...entry.metadata };
      return {
        kind: 'change',
        request: shown.remove(read.request),
        facts: { apiKey },
        handover: { keyOf: entry.client },
      };
    }),
};

function refuseKey(detail: string): ReturnType<typeof refuse> {
  return refuse(new ProxyError('apiKeyAuthenticationFailed', detail));
}
