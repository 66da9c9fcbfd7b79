import type { Origin } from '../../attachment/policies/effective-policy.ts';
import { ProxyError } from '../../base/proxy-error.ts';
import { bytesBody, readBody } from '../../base/read-body.ts';
import type { VariableSource } from '../../cel/program.ts';
import { bodyLimit } from '../../exchange/buffer-limit.ts';
import type { Sign, Targeted } from '../../exchange/exchange.ts';
import type { CloudAAuth } from '../../resources/proxy-policy/fields/auth/cloud.ts';
import { refuseToSend } from '../refuse-to-send.ts';
import type { Services } from '../services.ts';
import { cloudAKeys, type Ambient } from './cloud-a-keys.ts';
import { discoverKeys } from './discovery.ts';
import { compileRole } from './role-session.ts';
import { signV4, type SigningScope } from './sign-v4.ts';

/** Signs requests to cloud A. */
export interface CloudASigner {
  /** An expression reads the request body, so that must be read first (`prepareRequest`). */
  readonly readsBody: boolean;
  /** Finds out for whom a request is signed; throws backendAuthenticationFailed when that is not valid (BAUTH-018). */
  readonly signFor: (variables: VariableSource, services: Services) => Sign;
}

/**
 * With the keys of the Secret, or those that discovery finds, or of the role that these may take on (BAUTH-012 to BAUTH-019). The signature
 * covers the body, so the body is read first. Signing rejects with backendAuthenticationFailed without keys or region.
 */
export function cloudASigner(field: CloudAAuth, origin: Origin, ambient: Ambient = AMBIENT): CloudASigner {
  const role = field.assumeRole && compileRole(field.assumeRole);
  return {
    readsBody: role?.programs.some(({ bodies }) => bodies.has('request')) ?? false,
    signFor: (variables, services) => {
      const session = role?.session(variables);
      return async (exchange) => {
        const { request } = exchange;
        const scope = scopeOf(exchange, field, ambient);
        const wanted = { secretRef: field.secretRef, session, region: scope.region, origin, ambient };
        const keys = await cloudAKeys(wanted, { exchange, services });
        const { bytes, overflow } = await readBody(request.body, bodyLimit(exchange, 'request'));
        if (overflow) throw new ProxyError('bodyTooLarge', 'the request is too large to be signed');
        const headers = signV4({ ...request, body: bytes }, keys, { ...scope, at: exchange.clock.wall() });
        return { ...request, headers, body: request.body && bytesBody(bytes) };
      };
    },
  };
}

const AMBIENT: Ambient = { environment: process.env, discover: discoverKeys };

/** BAUTH-021, BAUTH-022, BAUTH-023 */
function scopeOf({ backend }: Targeted, field: CloudAAuth, { environment }: Ambient): Omit<SigningScope, 'at'> {
  const { provider, runtime } = backend;
  const vendor7 = provider?.vendor7;
  const ofBackend = runtime?.region ?? (vendor7 && (vendor7.region ?? 'us-east-1'));
  const region = field.region ?? ofBackend ?? environment['AWS_REGION'] ?? environment['AWS_DEFAULT_REGION'];
  const service = field.serviceName ?? runtime?.service ?? 'bedrock';
  return { region: region ?? refuseToSend('no region to sign for'), service };
}
