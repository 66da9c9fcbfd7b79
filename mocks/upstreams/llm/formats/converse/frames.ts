import { EventStreamCodec } from '@smithy/eventstream-codec';
import type { Json } from '../../../../json.ts';
import type { Problem } from '../format.ts';

/** One event of a binary event stream, as the codec of the cloud writes it. */
export function eventFrame(type: string, payload: Json): Buffer {
  return frame({ ':event-type': type, ':content-type': 'application/json', ':message-type': 'event' }, payload);
}

/** The exception that ends a stream in its middle. */
export function exceptionFrame({ status, message, type }: Problem): Buffer {
  const name = type ?? EXCEPTIONS[status] ?? 'internalServerException';
  const headers = { ':exception-type': name, ':content-type': 'application/json', ':message-type': 'exception' };
  return frame(headers, { message });
}

const EXCEPTIONS: Readonly<Record<number, string>> = {
  400: 'validationException',
  424: 'modelStreamErrorException',
  429: 'throttlingException',
  503: 'serviceUnavailableException',
};

const CODEC = new EventStreamCodec(
  (bytes) => Buffer.from(bytes).toString('utf8'),
  (text) => Buffer.from(text, 'utf8'),
);

function frame(headers: Readonly<Record<string, string>>, payload: Json): Buffer {
  const typed = Object.entries(headers).map(([name, value]) => [name, { type: 'string', value }] as const);
  return Buffer.from(CODEC.encode({ headers: Object.fromEntries(typed), body: Buffer.from(JSON.stringify(payload)) }));
}
