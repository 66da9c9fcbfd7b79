import type { Origin } from '../../attachment/policies/effective-policy.ts';
import type { Received } from '../../exchange/exchange.ts';
import type { CloudBAuth } from '../../resources/proxy-policy/fields/auth/cloud.ts';
import { cloudToken } from '../cloud-token.ts';
import type { Environment } from '../environment.ts';
import { refuseToSend } from '../refuse-to-send.ts';
import { secretMembers } from '../secret-members.ts';
import { targetHost } from '../target-host.ts';
import { accessToken, type TokenAnswer } from '../token-endpoint.ts';
import type { Token } from '../token-cache.ts';
import type { TokenSource } from '../token-source.ts';
import type { Services } from '../services.ts';
import { askAuthority, type Client } from './authority.ts';
import { askForIdentity, type Identity } from './managed-identity.ts';

/**
 * BAUTH-024, BAUTH-025, BAUTH-034: tokens for the client of the Secret, for an identity of the platform, or for what the environment
 * says the process is. Rejects with backendAuthenticationFailed when there is no token.
 */
export function cloudBTokens(field: CloudBAuth, origin: Origin, environment: Environment = process.env): TokenSource {
  return {
    token: async (exchange, services) => {
      const scope = scopeFor(targetHost(exchange));
      const method = methodOf(field, origin, exchange, environment);
      const content = ['cloudB', scope, JSON.stringify(method)];
      const fetch = async (asking: Received): Promise<Token> => {
        const answer = await ask(method, scope, { exchange: asking, services, environment });
        return accessToken(answer) ?? refuseToSend(`no token of cloud B: status ${answer.status}`);
      };
      return cloudToken({ origin, content, fetch }, exchange, services);
    },
  };
}

/** Services of one family want tokens of their own. docs/decisions/cloud-credentials.md */
function scopeFor(host: string | undefined): string {
  return host?.endsWith('.services.ai.azure.com') === true
    ? 'https://ai.azure.com/.default'
    : 'https://cognitiveservices.azure.com/.default';
}

/** How the process proves who it is. */
type Method =
  | { readonly kind: 'secret'; readonly client: Client; readonly secret: string }
  | { readonly kind: 'workload'; readonly client: Client; readonly file: string }
  | { readonly kind: 'managed'; readonly identity: Identity };

function methodOf(
  { secretRef, managedIdentity, workloadIdentity }: CloudBAuth,
  origin: Origin,
  exchange: Received,
  environment: Environment,
): Method {
  if (secretRef !== undefined) {
    const texts = secretMembers(exchange, secretRef, origin, ['clientID', 'tenantID', 'clientSecret']);
    return { kind: 'secret', client: { id: texts.clientID, tenant: texts.tenantID }, secret: texts.clientSecret };
  }
  if (managedIdentity !== undefined) return { kind: 'managed', identity: managedIdentity };
  const workload = ambientWorkload(environment);
  if (workloadIdentity !== undefined) return workload ?? refuseToSend('the environment names no workload identity');
  // BAUTH-025: in the order of the platform's own libraries.
  return ambientSecret(environment) ?? workload ?? { kind: 'managed', identity: {} };
}

function ambientSecret(environment: Environment): Method | undefined {
  const { AZURE_CLIENT_ID: id, AZURE_TENANT_ID: tenant, AZURE_CLIENT_SECRET: secret } = environment;
  return id === undefined || tenant === undefined || secret === undefined
    ? undefined
    : { kind: 'secret', client: { id, tenant }, secret };
}

function ambientWorkload(environment: Environment): Method | undefined {
  const { AZURE_CLIENT_ID: id, AZURE_TENANT_ID: tenant, AZURE_FEDERATED_TOKEN_FILE: file } = environment;
  return id === undefined || tenant === undefined || file === undefined
    ? undefined
    : { kind: 'workload', client: { id, tenant }, file };
}

interface Asking {
  readonly exchange: Received;
  readonly services: Services;
  readonly environment: Environment;
}

function ask(method: Method, scope: string, asking: Asking): Promise<TokenAnswer> {
  const { exchange, services, environment } = asking;
  if (method.kind === 'managed') return askForIdentity(method.identity, scope, environment, { exchange, services });
  const proof = method.kind === 'secret' ? { secret: method.secret } : { file: method.file };
  return askAuthority(method.client, proof, scope, asking);
}
