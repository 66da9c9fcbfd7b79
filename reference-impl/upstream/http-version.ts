import type { BackendView } from '../attachment/view.ts';
import type { Request } from '../exchange/exchange.ts';
import type { DialOptions } from './dial.ts';
import type { HttpVersion } from './http-call.ts';

/** What there is to infer the version from. */
export interface Spoken {
  readonly backend: Pick<BackendView, 'policies' | 'appProtocol'>;
  readonly request: Pick<Request, 'version' | 'headers' | 'upgrade'>;
  readonly dial: DialOptions;
}

/**
 * The version of HTTP a backend is spoken to with: of the rows the first that says something. Over TLS the server may choose another one
 * of those it was offered (docs/decisions/http-version.md).
 */
export function httpVersion(spoken: Spoken): HttpVersion {
  for (const rule of RULES) {
    const version = rule(spoken);
    if (version !== undefined) return version;
  }
  return 'HTTP1';
}

const RULES: readonly ((spoken: Spoken) => HttpVersion | undefined)[] = [
  // A WebSocket handshake is an upgrade, which only HTTP/1.1 has.
  ({ request }) => (request.upgrade === undefined ? undefined : 'HTTP1'),
  // BHTTP-001, BHTTP-002
  ({ backend }) => backend.policies.http?.version,
  // BHTTP-003
  ({ backend }) => APP_PROTOCOLS[backend.appProtocol ?? ''],
  // BHTTP-004
  ({ request }) => (isGrpc(request) ? 'HTTP2' : undefined),
  // BHTTP-006
  ({ dial }) => (dial.tls === undefined ? undefined : 'HTTP1'),
  // BHTTP-005
  ({ request }) => (request.version === 'HTTP/2.0' ? 'HTTP2' : 'HTTP1'),
];

/** The protocols of a port of a Service that say which version it speaks; any other leaves it open. */
const APP_PROTOCOLS: Readonly<Record<string, HttpVersion>> = {
  'kubernetes.io/h2c': 'HTTP2',
  h2c: 'HTTP2',
  http2: 'HTTP2',
  grpc: 'HTTP2',
  'kubernetes.io/ws': 'HTTP1',
};

/** `application/grpc`, alone or with the coding of its messages behind it. */
function isGrpc({ headers }: Spoken['request']): boolean {
  return /^application\/grpc(?:$|[+; ])/i.test(headers.get('content-type') ?? '');
}
