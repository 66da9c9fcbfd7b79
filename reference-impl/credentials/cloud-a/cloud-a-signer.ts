import type { Origin } from '../../attachment/policies/effective-policy.ts';
import { ProxyError } from '../../base/proxy-error.ts';
import { bytesBody, readBody } from '../../base/read-body.ts';
import { bodyLimit } from '../../exchange/buffer-limit.ts';
import type { Received, Sign, Targeted } from '../../exchange/exchange.ts';
import type { CloudAAuth } from '../../resources/proxy-policy/fields/auth/cloud.ts';
import { signV4, type SigningKeys, type SigningScope } from './sign-v4.ts';
import { secretText } from '../secret-text.ts';

/** Where the variables of the process are looked up. */
export type Environment = Readonly<Record<string, string | undefined>>;

/**
 * Signs requests to cloud A with the keys of the Secret, or with those of the environment (BAUTH-012, BAUTH-013,
 * BAUTH-014). The signature covers the body, so the body is read first. Throws processingFailed without keys or region.
 */
export function cloudASigner(field: CloudAAuth, origin: Origin, environment: Environment = process.env): Sign {
  return async (exchange) => {
    const { request } = exchange;
    const keys = cloudAKeys(exchange, field, origin, environment);
    const scope = scopeOf(exchange, field, environment);
    const { bytes, overflow } = await readBody(request.body, bodyLimit(exchange, 'request'));
    if (overflow) throw new ProxyError('bodyTooLarge', 'the request is too large to be signed');
    const headers = signV4({ ...request, body: bytes }, keys, scope);
    return { ...request, headers, body: request.body && bytesBody(bytes) };
  };
}

/** The keys a signature is made with. Throws processingFailed when there are none. */
export function cloudAKeys(
  { view }: Received,
  { secretRef, assumeRole }: CloudAAuth,
  { namespace }: Origin,
  environment: Environment = process.env,
): SigningKeys {
  if (assumeRole !== undefined) return missing('assumeRole is not implemented');
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
  if (accessKey === '' || secretKey === '') return missing(problem);
  return sessionToken === '' ? { accessKey, secretKey } : { accessKey, secretKey, sessionToken };
}

/** BAUTH-021, BAUTH-022, BAUTH-023 */
function scopeOf({ backend, clock }: Targeted, field: CloudAAuth, environment: Environment): SigningScope {
  const vendor7 = backend.provider?.vendor7;
  const ofBackend = vendor7 && (vendor7.region ?? 'us-east-1');
  const ambient = environment['AWS_REGION'] ?? environment['AWS_DEFAULT_REGION'];
  const region = field.region ?? ofBackend ?? ambient ?? missing('no region to sign for');
  return { region, service: field.serviceName ?? 'bedrock', at: clock.wall() };
}

function missing(detail: string): never {
  throw new ProxyError('processingFailed', detail);
}
