import { HeaderMap } from '../../base/headers.ts';
import type { Received } from '../../exchange/exchange.ts';
import type { Environment } from '../environment.ts';
import { refuseToSend } from '../refuse-to-send.ts';
import type { Services } from '../services.ts';
import { askTokenEndpoint, endpointAt, type TokenAnswer } from '../token-endpoint.ts';

/** One of the identities that the platform gives the process; its only one when nothing is said. */
export interface Identity {
  readonly clientId?: string;
  readonly objectId?: string;
  readonly resourceId?: string;
}

/** BAUTH-034: asks the platform for a token of the identity, at the endpoint of its environment, else at that of a machine. */
export async function askForIdentity(
  identity: Identity,
  scope: string,
  environment: Environment,
  { exchange, services }: { readonly exchange: Received; readonly services: Services },
): Promise<TokenAnswer> {
  const { url, version, names, headers } = platformOf(environment);
  url.searchParams.set('api-version', version);
  url.searchParams.set('resource', scope.replace(/\/\.default$/, ''));
  // The platform takes one name: docs/decisions/cloud-credentials.md.
  const shown = NAMES.find((name) => (identity[name] ?? '') !== '');
  if (shown !== undefined) url.searchParams.set(names[shown], identity[shown] ?? '');
  const question = { method: 'GET', headers, body: undefined };
  const { status, members } = await askTokenEndpoint(endpointAt(url), question, exchange, services);
  return { status, members: { ...members, expires_in: secondsLeft(members, exchange.clock.wall()) } };
}

/** The platform writes numbers as texts, and some of its hosts say only when the token ends. */
function secondsLeft({ expires_in: left, expires_on: end }: TokenAnswer['members'], now: number): number | undefined {
  const seconds = left === undefined ? Number(end) - Math.floor(now / 1000) : Number(left);
  return Number.isFinite(seconds) ? seconds : undefined;
}

/** The first that says something names the identity. */
const NAMES = ['clientId', 'objectId', 'resourceId'] as const;

interface Platform {
  readonly url: URL;
  readonly version: string;
  /** Of its parameters. */
  readonly names: Readonly<Record<(typeof NAMES)[number], string>>;
  readonly headers: HeaderMap;
}

/** A hosting environment says where to ask; a machine has one address for all. */
function platformOf({
  IDENTITY_ENDPOINT: endpoint,
  IDENTITY_HEADER: header,
  AZURE_POD_IDENTITY_AUTHORITY_HOST: host = 'http://169.254.169.254',
}: Environment): Platform {
  if (endpoint !== undefined && header !== undefined) {
    return {
      url: urlOf(endpoint),
      version: '2019-08-01',
      names: { clientId: 'client_id', objectId: 'principal_id', resourceId: 'mi_res_id' },
      headers: HeaderMap.of([['x-identity-header', header]]),
    };
  }
  return {
    url: urlOf(`${host.replace(/\/+$/, '')}/metadata/identity/oauth2/token`),
    version: '2018-02-01',
    names: { clientId: 'client_id', objectId: 'object_id', resourceId: 'msi_res_id' },
    headers: HeaderMap.of([['metadata', 'true']]),
  };
}

function urlOf(text: string): URL {
  return URL.canParse(text) ? new URL(text) : refuseToSend('the endpoint for managed identities is no URL');
}
