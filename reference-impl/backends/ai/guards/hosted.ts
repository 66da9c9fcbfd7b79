import { Buffer } from 'node:buffer';
import type { EffectiveBackend, PolicyRef } from '../../../attachment/policies/effective-policy.ts';
import type { BackendView } from '../../../attachment/view.ts';
import { HeaderMap } from '../../../base/headers.ts';
import { bytesBody } from '../../../base/read-body.ts';
import type { Request, Targeted } from '../../../exchange/exchange.ts';
import { auth as authPolicy } from '../../../policies/backend/auth.ts';
import type { BackendConnectionPolicy } from '../../../resources/proxy-policy/connection.ts';
import type { BackendAuth } from '../../../resources/proxy-policy/fields/auth/backend-auth.ts';
import { callGuard } from './call-guard.ts';
import { type Context, GuardFailure } from './guard.ts';
import type { Json } from '../../json.ts';

/** A guard that a vendor runs, at an address everybody knows. */
export interface HostedGuard {
  /** Asks it. Rejects with a GuardFailure for any status but success, and as `callGuard` does. */
  readonly ask: (context: Context, target: string, question: object) => Promise<Json>;
}

/** GUARD-033: how the guard is reached and paid for is said by its own policies, never by those of the provider. */
export function hosted(
  host: string,
  policies: BackendConnectionPolicy & { readonly auth?: BackendAuth },
  origin: PolicyRef,
): HostedGuard {
  const { auth, ...connection } = policies;
  const server = serverAt(host, connection, origin);
  const identify = identification(auth, origin);
  return {
    ask: async (context, target, question) => {
      const bare: Request = {
        method: 'POST',
        scheme: 'https',
        authority: host,
        target,
        version: 'HTTP/1.1',
        headers: JSON_HEADERS,
        body: bytesBody(Buffer.from(JSON.stringify(question))),
      };
      const request = await identify({ ...context.exchange, backend: server, request: bare }, context);
      const { status, json } = await callGuard(context, server, request);
      if (status < 200 || status > 299) throw new GuardFailure(`the guard answered ${status}`);
      return json;
    },
  };
}

const JSON_HEADERS = HeaderMap.of([['content-type', 'application/json']]);

/** TLS with the roots of the system, unless the policies say which. */
function serverAt(host: string, connection: BackendConnectionPolicy, origin: PolicyRef): BackendView {
  const fields = { tls: {}, ...connection };
  const sources = Object.fromEntries(Object.keys(fields).map((field) => [field, [origin]]));
  const policies: EffectiveBackend = { ...fields, sources };
  const endpoints = [{ kind: 'tcp', host, port: 443 }] as const;
  return { name: host, key: `guard/${host}`, type: 'static', protocol: 'http', endpoints, policies, mirrors: [] };
}

type Identify = (exchange: Targeted, context: Context) => Promise<Request>;

/** GUARD-040 */
function identification(auth: BackendAuth | undefined, origin: PolicyRef): Identify {
  if (auth === undefined) return async ({ request }) => request;
  const compiled = authPolicy.compile(auth, origin);
  return async (exchange, { services }) => {
    const outcome = await authPolicy.request?.(exchange, compiled, services);
    if (outcome === undefined || outcome.kind !== 'change') return exchange.request;
    const request = outcome.request ?? exchange.request;
    const sign = outcome.handover?.sign;
    return sign === undefined ? request : sign({ ...exchange, request });
  };
}
