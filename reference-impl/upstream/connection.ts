import type { EffectiveBackend } from '../attachment/effective-policy.ts';
import type { PolicyReferences } from '../attachment/view.ts';
import { parseDuration } from '../base/duration.ts';
import { perObject } from '../base/per-object.ts';
import type { DialOptions } from './dial.ts';
import { tlsSettings } from './tls.ts';

/** How a backend wants to be spoken to. */
export interface Connection {
  readonly dial: DialOptions;
  /** BHTTP-007: milliseconds until the head of a response must be there; undefined waits. */
  readonly requestTimeout: number | undefined;
}

/** The connection settings of a backend policy, in milliseconds; `references` leads to the certificates they name. */
export function connection(policies: EffectiveBackend, references: PolicyReferences): Connection {
  return policies.tls === undefined ? withoutTls(policies) : withTls(references)(policies);
}

/** Certificates belong to one configuration; with the next one they may be others. */
const withTls = perObject((references: PolicyReferences) =>
  perObject((policies: EffectiveBackend): Connection => {
    const { dial, requestTimeout } = withoutTls(policies);
    const tls = tlsSettings(policies, references);
    return { dial: tls === undefined ? dial : { ...dial, tls }, requestTimeout };
  }),
);

const withoutTls = perObject(({ tcp, http }: EffectiveBackend): Connection => ({
  dial: {
    connectTimeout: milliseconds(tcp?.connectTimeout) ?? DEFAULT_CONNECT_TIMEOUT,
    keepalive: tcp?.keepalive === undefined ? undefined : (milliseconds(tcp.keepalive.time) ?? DEFAULT_KEEPALIVE_TIME),
  },
  requestTimeout: milliseconds(http?.requestTimeout),
}));

const DEFAULT_CONNECT_TIMEOUT = 10_000;
/** BTCP-004 */
const DEFAULT_KEEPALIVE_TIME = 180_000;

/** Milliseconds of a duration; undefined when it is left out. */
export function milliseconds(duration: string | undefined): number | undefined {
  return duration === undefined ? undefined : parseDuration(duration);
}
