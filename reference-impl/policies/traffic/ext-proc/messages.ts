import { Buffer } from 'node:buffer';
import { create } from '@bufbuild/protobuf';
import type { MessageInitShape } from '@bufbuild/protobuf';
import type { HeaderMap } from '../../../base/headers.ts';
import { ProcessingRequestSchema } from '../../../upstream/wire/ext_proc_pb.js';
import type { ProcessingRequest } from '../../../upstream/wire/ext_proc_pb.js';
import type { HeaderMapSchema } from '../../../upstream/wire/http_pb.js';
import type { Direction, Processable } from './direction.ts';

/** What stands in a message besides the part of the HTTP message it is about. */
export type Envelope = Pick<
  MessageInitShape<typeof ProcessingRequestSchema> & object,
  'attributes' | 'metadataContext' | 'protocolConfig'
>;

/** The head; without a body it is the end of its direction. */
export function headersMessage<Message extends Processable>(
  direction: Direction<Message>,
  message: Message,
  envelope: Envelope,
): ProcessingRequest {
  const headers = [
    ...direction.pseudoHeaders(message).map(([key, value]) => ({ key, value })),
    ...wireHeaders(message.headers),
  ];
  const value = { headers: { headers }, endOfStream: message.body === undefined };
  return create(ProcessingRequestSchema, { ...envelope, request: { case: direction.headers, value } });
}

/** A body, or a piece of one. */
export function bodyMessage(
  direction: Pick<Direction<never>, 'body'>,
  body: Uint8Array,
  endOfStream: boolean,
  envelope: Envelope,
): ProcessingRequest {
  return create(ProcessingRequestSchema, {
    ...envelope,
    request: { case: direction.body, value: { body, endOfStream } },
  });
}

export function trailersMessage(
  direction: Pick<Direction<never>, 'trailers'>,
  trailers: HeaderMap,
  envelope: Envelope,
): ProcessingRequest {
  const value = { trailers: { headers: wireHeaders(trailers) } };
  return create(ProcessingRequestSchema, { ...envelope, request: { case: direction.trailers, value } });
}

/** Names in lower case, values as the bytes they are. */
function wireHeaders(headers: HeaderMap): NonNullable<MessageInitShape<typeof HeaderMapSchema>['headers']> {
  return [...headers].map(([name, value]) => ({ key: name.toLowerCase(), rawValue: Buffer.from(value, 'latin1') }));
}
