import type { Origin } from '../../attachment/policies/effective-policy.ts';
import type { Received, Targeted } from '../../exchange/exchange.ts';
import type { CloudCAuth } from '../../resources/proxy-policy/fields/auth/cloud.ts';
import { readAmbientFile } from '../ambient-file.ts';
import { cloudToken } from '../cloud-token.ts';
import type { Environment } from '../environment.ts';
import { refuseToSend } from '../refuse-to-send.ts';
import { secretMembers } from '../secret-members.ts';
import type { Services } from '../services.ts';
import { targetHost } from '../target-host.ts';
import type { Token } from '../token-cache.ts';
import type { TokenSource } from '../token-source.ts';
import { credentialsToken } from './credentials-token.ts';
import { metadataToken } from './metadata-server.ts';
import type { WantedKind } from './wanted-kind.ts';

/**
 * BAUTH-026 to BAUTH-030: tokens for the credentials of the Secret, else for those of the file that the environment names, else for the
 * identity that the platform gives the process. Rejects with backendAuthenticationFailed when there is no token.
 */
export function cloudCTokens(field: CloudCAuth, origin: Origin, environment: Environment = process.env): TokenSource {
  return {
    token: async (exchange, services) => {
      const wanted = wantedKind(field, exchange);
      const credentials = credentialsOf(field, origin, exchange);
      const content = ['cloudC', JSON.stringify(wanted), credentials ?? ''];
      const fetch = (asking: Received): Promise<Token> =>
        askFor(wanted, credentials, environment, { exchange: asking, services });
      return cloudToken({ origin, content, fetch }, exchange, services);
    },
  };
}

const SCOPE = 'https://www.googleapis.com/auth/cloud-platform';

/** BAUTH-026, BAUTH-027; without a type it is an access token. docs/decisions/cloud-credentials.md */
function wantedKind({ type, audience }: CloudCAuth, exchange: Targeted): WantedKind {
  if (type !== 'IdToken') return { type: 'AccessToken', scope: SCOPE };
  // BAUTH-028
  const host = targetHost(exchange) ?? exchange.backend.provider?.host;
  if (audience === undefined && host === undefined) return refuseToSend('the backend has no host to be the audience');
  return { type, audience: audience ?? `https://${host}` };
}

/** BAUTH-029. Undefined when none are named: what is named is not replaced by what the platform has. */
function credentialsOf({ secretRef }: CloudCAuth, origin: Origin, exchange: Received): string | undefined {
  if (secretRef === undefined) return undefined;
  const { key = 'credentials.json' } = secretRef;
  return secretMembers(exchange, secretRef, origin, [key])[key];
}

/** BAUTH-030: in the order of the platform's own libraries. */
async function askFor(
  wanted: WantedKind,
  named: string | undefined,
  environment: Environment,
  asking: { readonly exchange: Received; readonly services: Services },
): Promise<Token> {
  const { GOOGLE_APPLICATION_CREDENTIALS: file } = environment;
  const credentials = named ?? (file === undefined ? undefined : await readAmbientFile(file));
  return credentials === undefined
    ? metadataToken(wanted, environment, asking)
    : credentialsToken(credentials, wanted, asking);
}
