import { Buffer } from 'node:buffer';
import { wallTime } from '../../base/clock.ts';
import { HeaderMap } from '../../base/headers.ts';
import { bytesBody } from '../../base/read-body.ts';
import type { Received } from '../../exchange/exchange.ts';
import type { Environment } from '../environment.ts';
import { refuseToSend } from '../refuse-to-send.ts';
import type { Services } from '../services.ts';
import { askForText, endpointAt } from '../token-endpoint.ts';
import type { LentKeys } from './lent-keys.ts';
import type { RoleSession } from './role-session.ts';
import { signV4, type SigningKeys } from './sign-v4.ts';

/** BAUTH-015: asks the token service of the cloud for the keys of the role, signed with these. Rejects with backendAuthenticationFailed. */
export async function assumeRole(
  session: RoleSession,
  keys: SigningKeys,
  { region, environment }: { readonly region: string; readonly environment: Environment },
  { exchange, services }: { readonly exchange: Received; readonly services: Services },
): Promise<LentKeys> {
  const url = serviceUrl(region, environment);
  const body = Buffer.from(new URLSearchParams([...parameters(session)]).toString());
  const { target, server } = endpointAt(url);
  const bare = { method: 'POST', authority: url.host, target, headers: FORM, body };
  const headers = signV4(bare, keys, { region, service: 'sts', at: exchange.clock.wall() });
  const question = { method: 'POST', authority: url.host, headers, body: bytesBody(body) };
  const { status, text } = await askForText({ server, target }, question, exchange, services);
  return (status === 200 ? lentKeys(text) : undefined) ?? refuseToSend(`no keys for the role: status ${status}`);
}

const FORM = HeaderMap.of([['content-type', 'application/x-www-form-urlencoded; charset=utf-8']]);

function* parameters({ roleArn, name, tags }: RoleSession): Generator<[name: string, value: string]> {
  yield ['Action', 'AssumeRole'];
  yield ['Version', '2011-06-15'];
  yield ['RoleArn', roleArn];
  // BAUTH-016
  yield ['RoleSessionName', name];
  // BAUTH-019
  for (const [index, [key, value]] of tags.entries()) {
    yield [`Tags.member.${index + 1}.Key`, key];
    yield [`Tags.member.${index + 1}.Value`, value];
  }
}

/** That of the region, unless the environment says otherwise, as the SDK of the cloud has it. */
function serviceUrl(region: string, environment: Environment): URL {
  const suffix = region.startsWith('cn-') ? 'amazonaws.com.cn' : 'amazonaws.com';
  const { AWS_ENDPOINT_URL: all, AWS_ENDPOINT_URL_STS: own = all ?? `https://sts.${region}.${suffix}/` } = environment;
  return URL.canParse(own) ? new URL(own) : refuseToSend('AWS_ENDPOINT_URL_STS is no URL');
}

/** The answer is XML of a fixed form, and its values have no character that XML escapes. */
function lentKeys(xml: string): LentKeys | undefined {
  const [accessKey, secretKey, sessionToken, expiration] = MEMBERS.map(
    (name) => new RegExp(`<${name}>\\s*([^<]+?)\\s*</${name}>`).exec(xml)?.[1],
  );
  if (accessKey === undefined || secretKey === undefined || sessionToken === undefined) return undefined;
  return { keys: { accessKey, secretKey, sessionToken }, until: wallTime(expiration ?? '') };
}

const MEMBERS = ['AccessKeyId', 'SecretAccessKey', 'SessionToken', 'Expiration'];
