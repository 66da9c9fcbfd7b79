import type { Received } from '../../exchange/exchange.ts';
import { readAmbientFile } from '../ambient-file.ts';
import type { Environment } from '../environment.ts';
import { refuseToSend } from '../refuse-to-send.ts';
import type { Services } from '../services.ts';
import { askTokenEndpoint, endpointAt, formQuestion, type TokenAnswer } from '../token-endpoint.ts';

/** An application, and the directory that knows it. */
export interface Client {
  readonly id: string;
  readonly tenant: string;
}

/** Its secret, or a file with what somebody else says of it. */
export type Proof = { readonly secret: string } | { readonly file: string };

/** Asks the directory of the client for a token (RFC 6749, section 4.4; the file's text is an assertion as in RFC 7523). */
export async function askAuthority(
  { id, tenant }: Client,
  proof: Proof,
  scope: string,
  {
    exchange,
    services,
    environment,
  }: { readonly exchange: Received; readonly services: Services; readonly environment: Environment },
): Promise<TokenAnswer> {
  const shown =
    'secret' in proof
      ? { client_secret: proof.secret }
      : { client_assertion_type: ASSERTION, client_assertion: await readAmbientFile(proof.file) };
  const question = formQuestion({ client_id: id, grant_type: 'client_credentials', scope, ...shown });
  return askTokenEndpoint(endpointAt(tokenUrl(tenant, environment)), question, exchange, services);
}

const ASSERTION = 'urn:ietf:params:oauth:client-assertion-type:jwt-bearer';
const PUBLIC_AUTHORITY = 'https://login.microsoftonline.com';

/** A tenant is one segment of the path, whatever it is. */
function tokenUrl(tenant: string, { AZURE_AUTHORITY_HOST: authority = PUBLIC_AUTHORITY }: Environment): URL {
  const path = `/${encodeURIComponent(tenant)}/oauth2/v2.0/token`;
  return URL.canParse(authority) ? new URL(path, authority) : refuseToSend('AZURE_AUTHORITY_HOST is no URL');
}
