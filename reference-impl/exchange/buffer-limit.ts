import { parseByteSize } from '../base/byte-size.ts';
import { perObject } from '../base/per-object.ts';
import type { EffectiveFrontend } from '../attachment/policies/effective-policy.ts';
import type { BufferBody } from '../resources/proxy-policy/fields/buffer.ts';
import type { Listened, Received, Routed } from './exchange.ts';

/** FRONT-017, BUFFER-010: 2 MiB. */
const DEFAULT_LIMIT = 2 * 1024 * 1024;

/** FRONT-018: bytes of one body the proxy may hold for this request. */
export function bufferLimit(exchange: Received | Listened): number {
  return 'listener' in exchange ? limitOf(exchange.listener.frontend) : DEFAULT_LIMIT;
}

/** The same for one of its two bodies: a buffer policy of the route has its own limit. */
export function bodyLimit(exchange: Received | Routed, message: 'request' | 'response'): number {
  const held = 'rule' in exchange ? exchange.rule.postRouting.buffer?.[message] : undefined;
  return (held && ownLimit(held)) ?? bufferLimit(exchange);
}

const ownLimit = perObject(({ maxBytes }: BufferBody): number | undefined =>
  maxBytes === undefined ? undefined : parseByteSize(maxBytes),
);

const limitOf = perObject(({ http }: EffectiveFrontend): number =>
  http?.maxBufferSize === undefined ? DEFAULT_LIMIT : (parseByteSize(http.maxBufferSize) ?? DEFAULT_LIMIT),
);
