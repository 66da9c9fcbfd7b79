import type { HttpReply, HttpRequest } from '../http-exchange.ts';
import { jsonReply } from '../http-exchange.ts';
import { lendKeys } from '../lent-tokens.ts';
import { pathOf } from '../target.ts';
import { lentUntil } from './lent-until.ts';

const ROLE = 'instance-role';
const ROLES = '/latest/meta-data/iam/security-credentials/';
const SESSION = 'session-of-the-instance';

/** Version 2 of the instance metadata: a session first, by PUT with its lifetime, and then only with that. */
export function instanceMetadata({ method, target, headers }: HttpRequest): HttpReply {
  const header = (wanted: string): string | undefined =>
    headers.find(([name]) => name.toLowerCase() === `x-aws-ec2-metadata-${wanted}`)?.[1];
  const path = pathOf(target);
  if (path === '/latest/api/token') {
    const ttl = header('token-ttl-seconds');
    if (method !== 'PUT' || !/^\d+$/.test(ttl ?? ''))
      return { status: 400, body: 'a session takes PUT and a lifetime' };
    return { status: 200, headers: { 'x-aws-ec2-metadata-token-ttl-seconds': ttl ?? '' }, body: SESSION };
  }
  if (header('token') !== SESSION) return { status: 401, body: 'no session' };
  if (path === ROLES) return { status: 200, body: ROLE };
  if (path !== `${ROLES}${ROLE}`) return { status: 404, body: 'no such path' };
  const { accessKey, secretKey, sessionToken } = lendKeys({ by: 'instance' });
  const document = {
    Code: 'Success',
    LastUpdated: lentUntil(0),
    Type: 'AWS-HMAC',
    AccessKeyId: accessKey,
    SecretAccessKey: secretKey,
    Token: sessionToken,
    Expiration: lentUntil(),
  };
  return jsonReply(JSON.stringify(document));
}
