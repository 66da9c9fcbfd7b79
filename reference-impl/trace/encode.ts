import { withoutCredentials, withoutLiteralCredentials, withoutSecretHeaders } from './credentials.ts';
import type { TraceEvent, TraceMessage } from './events.ts';

/**
 * One event as one line of JSON (TRACE-013). Never throws: an event that cannot be written becomes one of type
 * `serialization_error`, so that the reader sees the gap.
 */
export function encodeEvent(event: TraceEvent): string {
  try {
    return JSON.stringify({ ...event, message: withoutSecrets(event.message) }, plainJson);
  } catch (error) {
    const message = { type: 'serialization_error', error: error instanceof Error ? error.message : String(error) };
    return JSON.stringify({ ...event, message });
  }
}

/** A policy may hold a credential, and a message may carry one: neither leaves the proxy in a trace. */
function withoutSecrets(message: TraceMessage): object {
  if (message.type === 'policySelection') {
    return { ...message, effectivePolicy: withoutLiteralCredentials(withoutCredentials(message.effectivePolicy)) };
  }
  return 'requestState' in message ? { ...message, requestState: withoutSecretHeaders(message.requestState) } : message;
}

/** Expression values know integers of 64 bits and bytes; JSON knows neither. */
function plainJson(this: unknown, key: string, value: unknown): unknown {
  // Buffer has a toJSON of its own, which has run already: look at the member itself.
  const original: unknown = typeof this === 'object' && this !== null ? Reflect.get(this, key) : value;
  if (original instanceof Uint8Array) return Buffer.from(original).toString('base64');
  if (typeof value !== 'bigint') return value;
  return value >= Number.MIN_SAFE_INTEGER && value <= Number.MAX_SAFE_INTEGER ? Number(value) : value.toString();
}
