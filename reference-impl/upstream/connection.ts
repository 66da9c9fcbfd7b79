import type { EffectiveBackend } from '../attachment/policies/effective-policy.ts';
import type { PolicyReferences } from '../attachment/view.ts';
import { parseDuration } from '../base/duration.ts';
import { perObject } from '../base/per-object.ts';
import type { Keepalive } from '../resources/proxy-policy/fields/keepalive.ts';
import type { DialOptions, Probes, Tunnel } from './dial.ts';
import { tlsSettings } from './tls.ts';

/** How a backend wants to be spoken to. */
export interface Connection {
  readonly dial: DialOptions;
  /** BHTTP-007: milliseconds until the head of a response must be there; undefined waits. */
  readonly requestTimeout: number | undefined;
}

/** The connection settings of a backend policy, in milliseconds; `references` leads to the certificates they name. */
export function connection(policies: EffectiveBackend, references: PolicyReferences): Connection {
  const refers = policies.tls !== undefined || policies.tunnel !== undefined;
  return refers ? withReferences(references)(policies) : withoutReferences(policies);
}

/** Certificates and proxy servers belong to one configuration; with the next one they may be others. */
const withReferences = perObject((references: PolicyReferences) =>
  perObject((policies: EffectiveBackend): Connection => {
    const { dial, requestTimeout } = withoutReferences(policies);
    const tls = tlsSettings(withAlpnOf(policies), references);
    const tunnel = tunnelOf(policies, references);
    return { dial: { ...dial, ...(tls && { tls }), ...(tunnel && { tunnel }) }, requestTimeout };
  }),
);

const withoutReferences = perObject(({ tcp, http }: EffectiveBackend): Connection => ({
  dial: {
    connectTimeout: milliseconds(tcp?.connectTimeout) ?? DEFAULT_CONNECT_TIMEOUT,
    keepalive: tcp?.keepalive && probes(tcp.keepalive),
  },
  requestTimeout: milliseconds(http?.requestTimeout),
}));

/** A version that is asked for is the only one offered, unless the policy says itself what is. docs/decisions/http-version.md */
function withAlpnOf(policies: EffectiveBackend): EffectiveBackend {
  const { tls, http } = policies;
  if (tls === undefined || tls.alpnProtocols !== undefined || http?.version === undefined) return policies;
  return { ...policies, tls: { ...tls, alpnProtocols: [ALPN[http.version]] } };
}

const ALPN = { HTTP1: 'http/1.1', HTTP2: 'h2' } as const;

/** TUNNEL-005: the proxy server, reached as its own policies say, but for a tunnel of its own. */
function tunnelOf({ tunnel, sources }: EffectiveBackend, references: PolicyReferences): Tunnel | undefined {
  if (tunnel === undefined) return undefined;
  const [origin] = sources['tunnel'] ?? [];
  const proxy = origin && references.backend(tunnel.backendRef, origin);
  if (proxy === undefined || 'unresolved' in proxy) {
    return { endpoints: [], dial: DIRECTLY, unusable: proxy?.message ?? 'nobody said where the proxy server is' };
  }
  const { tunnel: _, ...policies } = proxy.policies;
  return { endpoints: proxy.endpoints, dial: connection(policies, references).dial, unusable: undefined };
}

const DEFAULT_CONNECT_TIMEOUT = 10_000;
const DIRECTLY: DialOptions = { connectTimeout: DEFAULT_CONNECT_TIMEOUT, keepalive: undefined };

/** BTCP-004 */
function probes({ time, interval, retries = 9 }: Keepalive): Probes {
  return { time: milliseconds(time) ?? PROBE_TIME, interval: milliseconds(interval) ?? PROBE_TIME, retries };
}

const PROBE_TIME = 180_000;

/** Milliseconds of a duration; undefined when it is left out. */
export function milliseconds(duration: string | undefined): number | undefined {
  return duration === undefined ? undefined : parseDuration(duration);
}
