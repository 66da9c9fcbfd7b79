import { HeaderMap } from '../../base/headers.ts';
import type { Received } from '../../exchange/exchange.ts';
import type { Environment } from '../environment.ts';
import { idToken } from '../id-token.ts';
import { refuseToSend } from '../refuse-to-send.ts';
import type { Services } from '../services.ts';
import type { Token } from '../token-cache.ts';
import { accessTokenOf, askForText, endpointAt } from '../token-endpoint.ts';
import type { WantedKind } from './wanted-kind.ts';

/** Asks the platform for a token of the identity that the process has there; its server knows by itself who is asking. */
export async function metadataToken(
  wanted: WantedKind,
  environment: Environment,
  { exchange, services }: { readonly exchange: Received; readonly services: Services },
): Promise<Token> {
  const host = environment['GCE_METADATA_HOST'] ?? 'metadata.google.internal';
  const url = new URL(`http://${host}/computeMetadata/v1/instance/service-accounts/default/${pathOf(wanted)}`);
  const question = { method: 'GET', headers: MEANT_FOR_IT, body: undefined };
  const answer = await askForText(endpointAt(url), question, exchange, services);
  const token = wanted.type === 'IdToken' ? idToken(answer.status, answer.text, exchange.clock) : accessTokenOf(answer);
  return token ?? refuseToSend(`no token of cloud C: status ${answer.status}`);
}

/** The server wants to be sure that nobody was led astray. */
const MEANT_FOR_IT = HeaderMap.of([['metadata-flavor', 'Google']]);

function pathOf(wanted: WantedKind): string {
  return wanted.type === 'AccessToken'
    ? `token?scopes=${encodeURIComponent(wanted.scope)}`
    : `identity?audience=${encodeURIComponent(wanted.audience)}&format=full`;
}
