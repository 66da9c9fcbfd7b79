import type { HttpReply, HttpRequest } from '../http-exchange.ts';
import { jsonReply } from '../http-exchange.ts';
import { lendKeys } from '../lent-tokens.ts';
import { lentUntil } from './lent-until.ts';

/** What a container shows that asks (`AWS_CONTAINER_AUTHORIZATION_TOKEN`). */
export const CONTAINER_TOKEN = 'token-of-the-container';

/** The credentials of a container, for who shows its token. */
export function containerCredentials({ method, headers }: HttpRequest): HttpReply {
  const shown = headers.find(([name]) => name.toLowerCase() === 'authorization')?.[1];
  if (method !== 'GET' || shown !== CONTAINER_TOKEN) return jsonReply('{"message":"Unauthorized"}', { status: 401 });
  const { accessKey, secretKey, sessionToken } = lendKeys({ by: 'container' });
  const document = {
    AccessKeyId: accessKey,
    SecretAccessKey: secretKey,
    Token: sessionToken,
    Expiration: lentUntil(),
    RoleArn: 'arn:aws:iam::123456789012:role/container-role',
  };
  return jsonReply(JSON.stringify(document));
}
