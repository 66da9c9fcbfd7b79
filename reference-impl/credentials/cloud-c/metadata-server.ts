import { HeaderMap } from '../../base/headers.ts';
import type { Received } from '../../exchange/exchange.ts';
import type { Callers } from '../../upstream/callers.ts';
import type { Environment } from '../environment.ts';
import { askTokenEndpoint, endpointAt, type TokenAnswer } from '../token-endpoint.ts';

/** Asks the platform for a token of the identity that the process has there; its server knows by itself who is asking. */
export function askMetadataServer(
  scope: string,
  environment: Environment,
  exchange: Received,
  callers: Callers,
): Promise<TokenAnswer> {
  const host = environment['GCE_METADATA_HOST'] ?? 'metadata.google.internal';
  const path = `/computeMetadata/v1/instance/service-accounts/default/token?scopes=${encodeURIComponent(scope)}`;
  const question = { method: 'GET', headers: MEANT_FOR_IT, body: undefined };
  return askTokenEndpoint(endpointAt(new URL(`http://${host}${path}`)), question, exchange, callers);
}

/** The server wants to be sure that nobody was led astray. */
const MEANT_FOR_IT = HeaderMap.of([['metadata-flavor', 'Google']]);
