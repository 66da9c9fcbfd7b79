import type { Origin } from '../../attachment/policies/effective-policy.ts';
import { ProxyError } from '../../base/proxy-error.ts';
import { bytesBody, readBody } from '../../base/read-body.ts';
import { bodyLimit } from '../../exchange/buffer-limit.ts';
import type { Sign, Targeted } from '../../exchange/exchange.ts';
import type { CloudAAuth } from '../../resources/proxy-policy/fields/auth/cloud.ts';
import type { Environment } from '../environment.ts';
import { refuseToSend } from '../refuse-to-send.ts';
import { cloudAKeys } from './cloud-a-keys.ts';
import { signV4, type SigningScope } from './sign-v4.ts';

/**
 * Signs requests to cloud A with the keys of the Secret, or with those of the environment (BAUTH-012, BAUTH-013,
 * BAUTH-014). The signature covers the body, so the body is read first. Throws backendAuthenticationFailed without keys or region.
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

/** BAUTH-021, BAUTH-022, BAUTH-023 */
function scopeOf({ backend, clock }: Targeted, field: CloudAAuth, environment: Environment): SigningScope {
  const vendor7 = backend.provider?.vendor7;
  const ofBackend = vendor7 && (vendor7.region ?? 'us-east-1');
  const ambient = environment['AWS_REGION'] ?? environment['AWS_DEFAULT_REGION'];
  const region = field.region ?? ofBackend ?? ambient ?? refuseToSend('no region to sign for');
  return { region, service: field.serviceName ?? 'bedrock', at: clock.wall() };
}
