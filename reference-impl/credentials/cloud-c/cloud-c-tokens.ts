import type { Origin } from '../../attachment/policies/effective-policy.ts';
import type { Received } from '../../exchange/exchange.ts';
import type { CloudCAuth } from '../../resources/proxy-policy/fields/auth/cloud.ts';
import type { Environment } from '../environment.ts';
import { refuseToSend } from '../refuse-to-send.ts';
import { secretText } from '../secret-text.ts';
import { accessToken } from '../token-endpoint.ts';
import type { TokenSource } from '../token-source.ts';
import { askMetadataServer } from './metadata-server.ts';
import { askForAccount } from './service-account.ts';

/**
 * BAUTH-029, BAUTH-030: tokens for the credentials of the Secret, or for the identity the platform gives the process.
 * Of the places where the platform may have one, only its metadata server is looked at. Rejects with backendAuthenticationFailed
 * when there is no token.
 */
export function cloudCTokens(field: CloudCAuth, origin: Origin, environment: Environment = process.env): TokenSource {
  return {
    token: async (exchange, services) => {
      if (field.type === 'IdToken') return refuseToSend('tokens of the type IdToken are not implemented');
      const credentials = credentialsOf(field, origin, exchange);
      return services.tokens.token(
        {
          place: origin,
          content: ['cloudC', 'AccessToken', credentials ?? ''],
          fetch: async (cancellation) => {
            const asking = { ...exchange, cancellation };
            const answer = await (credentials === undefined
              ? askMetadataServer(SCOPE, environment, asking, services)
              : askForAccount(credentials, SCOPE, asking, services));
            return accessToken(answer) ?? refuseToSend(`no token of cloud C: status ${answer.status}`);
          },
          patience: PATIENCE,
          margin: MARGIN,
        },
        exchange.cancellation,
      );
    },
  };
}

const SCOPE = 'https://www.googleapis.com/auth/cloud-platform';
/** Milliseconds a token may take. */
const PATIENCE = 5_000;
/** Milliseconds before its end at which a token is no longer used. */
const MARGIN = 60_000;

/** BAUTH-029 */
const DEFAULT_KEY = 'credentials.json';

/** Undefined when none are named. What is named must be there: it is not replaced by what the platform has. */
function credentialsOf({ secretRef }: CloudCAuth, { namespace }: Origin, { view }: Received): string | undefined {
  if (secretRef === undefined) return undefined;
  const { name, key = DEFAULT_KEY } = secretRef;
  const secret = view.references.secret(name, namespace);
  const text = (secret && secretText(secret, key)?.trim()) ?? '';
  return text === '' ? refuseToSend(`Secret ${namespace}/${name} has no key ${key}`) : text;
}
