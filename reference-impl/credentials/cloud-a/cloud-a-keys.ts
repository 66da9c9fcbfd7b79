import type { Origin } from '../../attachment/policies/effective-policy.ts';
import type { Received } from '../../exchange/exchange.ts';
import type { CloudAAuth } from '../../resources/proxy-policy/fields/auth/cloud.ts';
import type { Environment } from '../environment.ts';
import { refuseToSend } from '../refuse-to-send.ts';
import { secretText } from '../secret-text.ts';
import type { SigningKeys } from './sign-v4.ts';

/** The keys that requests are signed with (BAUTH-012, BAUTH-014). Throws backendAuthenticationFailed when there are none. */
export function cloudAKeys(
  { view }: Received,
  { secretRef, assumeRole }: CloudAAuth,
  { namespace }: Origin,
  environment: Environment,
): SigningKeys {
  if (assumeRole !== undefined) return refuseToSend('assumeRole is not implemented');
  if (secretRef === undefined) return ambientKeys(environment);
  const secret = view.references.secret(secretRef.name, namespace);
  const text = (key: string): string | undefined => secret && secretText(secret, key)?.trim();
  const named = `Secret ${namespace}/${secretRef.name}`;
  return keysFrom(
    text('accessKey'),
    text('secretKey'),
    text('sessionToken'),
    `${named} has no accessKey and secretKey`,
  );
}

/** Of the usual places for keys, only the variables of the process are looked at. */
function ambientKeys(environment: Environment): SigningKeys {
  const { AWS_ACCESS_KEY_ID: access, AWS_SECRET_ACCESS_KEY: secret, AWS_SESSION_TOKEN: session } = environment;
  return keysFrom(access, secret, session, 'the environment has no keys of cloud A');
}

function keysFrom(accessKey = '', secretKey = '', sessionToken = '', problem: string): SigningKeys {
  if (accessKey === '' || secretKey === '') return refuseToSend(problem);
  return sessionToken === '' ? { accessKey, secretKey } : { accessKey, secretKey, sessionToken };
}
