import { create } from '@bufbuild/protobuf';
import type { MessageInitShape } from '@bufbuild/protobuf';
import { toBytes } from '../script.ts';
import type { HeaderValueOptionSchema } from '../wire/gen/http_pb.js';
import { ProcessingResponseSchema } from '../wire/gen/ext_proc_pb.js';
import type { CommonResponseSchema, HeaderMutationSchema, ProcessingResponse } from '../wire/gen/ext_proc_pb.js';
import type { Arrived } from './arrived.ts';
import { BODY_MODES, HEADER_MODES } from './script.ts';
import type { Headers, Mode, Reply } from './script.ts';

type Common = MessageInitShape<typeof CommonResponseSchema>;
type Init = Exclude<MessageInitShape<typeof ProcessingResponseSchema>, ProcessingResponse>;
type Response = NonNullable<Init['response']>;
type BodyMutation = Common['bodyMutation'];

/** The answer to `message`; a body the client streams comes back as a streamed piece. */
export function toAnswer(reply: Reply, message: Arrived, streaming: boolean): ProcessingResponse {
  return create(ProcessingResponseSchema, {
    response: reply.immediate === undefined ? toResponse(reply, message, streaming) : immediate(reply.immediate),
    ...(reply.mode === undefined ? {} : { modeOverride: toMode(reply.mode) }),
    ...(reply.metadata === undefined ? {} : { dynamicMetadata: reply.metadata }),
  });
}

/** One streamed piece of a body. */
export function toPiece(kind: Arrived['kind'], body: Uint8Array, endOfStream: boolean): ProcessingResponse {
  const bodyMutation: BodyMutation = { mutation: { case: 'streamedResponse', value: { body, endOfStream } } };
  const value = { response: { bodyMutation } };
  return create(ProcessingResponseSchema, {
    response: kind === 'responseBody' ? { case: 'responseBody', value } : { case: 'requestBody', value },
  });
}

function toResponse(reply: Reply, message: Arrived, streaming: boolean): Response {
  const kind = reply.as ?? message.kind;
  const headerMutation = mutation(reply);
  const edits = headerMutation === undefined ? {} : { headerMutation };
  if (kind === 'nothing') return { case: undefined };
  if (kind === 'requestTrailers' || kind === 'responseTrailers') return { case: kind, value: edits };
  const bodyMutation = bodyOf(reply, message, streaming);
  const status = reply.replace === true ? CONTINUE_AND_REPLACE : 0;
  const response: Common = { status, ...edits, ...(bodyMutation === undefined ? {} : { bodyMutation }) };
  return { case: kind, value: { response } };
}

const CONTINUE_AND_REPLACE = 1;

/** A streamed body is not kept by whoever sends it here, so that it has to come back. */
function bodyOf({ body, clear, end }: Reply, message: Arrived, streaming: boolean): BodyMutation {
  const isBody = message.kind === 'requestBody' || message.kind === 'responseBody';
  if (streaming && isBody) {
    const bytes = clear === true ? new Uint8Array(0) : body === undefined ? message.body : toBytes(body);
    return { mutation: { case: 'streamedResponse', value: { body: bytes, endOfStream: end ?? message.end } } };
  }
  if (clear === true) return { mutation: { case: 'clearBody', value: true } };
  return body === undefined ? undefined : { mutation: { case: 'body', value: toBytes(body) } };
}

function immediate({ status, headers, body = '', details = '' }: NonNullable<Reply['immediate']>): Response {
  const edits = mutation({ set: headers });
  return {
    case: 'immediateResponse',
    value: {
      ...(status === undefined ? {} : { status: { code: status } }),
      ...(edits === undefined ? {} : { headers: edits }),
      body: Buffer.from(body),
      details,
    },
  };
}

function mutation({
  set,
  append,
  remove,
}: Pick<Reply, 'set' | 'append' | 'remove'>): MessageInitShape<typeof HeaderMutationSchema> | undefined {
  if (set === undefined && append === undefined && remove === undefined) return undefined;
  return { setHeaders: [...toOptions(set, false), ...toOptions(append, true)], removeHeaders: remove ?? [] };
}

/** Both ways in which the protocol says whether to append, so that readers of either agree. */
const APPEND = 0;
const OVERWRITE = 2;

function toOptions(headers: Headers = {}, append: boolean): MessageInitShape<typeof HeaderValueOptionSchema>[] {
  return Object.entries(headers).flatMap(([key, values]) =>
    [values].flat().map((value, index) => ({
      header: { key, rawValue: Buffer.from(value, 'latin1') },
      append: append || index > 0,
      appendAction: append || index > 0 ? APPEND : OVERWRITE,
    })),
  );
}

function toMode(mode: Mode): NonNullable<Init['modeOverride']> {
  return {
    requestHeaderMode: headerMode(mode.requestHeaders),
    responseHeaderMode: headerMode(mode.responseHeaders),
    requestBodyMode: bodyMode(mode.requestBody),
    responseBodyMode: bodyMode(mode.responseBody),
    requestTrailerMode: headerMode(mode.requestTrailers),
    responseTrailerMode: headerMode(mode.responseTrailers),
  };
}

function headerMode(name: Mode['requestHeaders']): number {
  return HEADER_MODES.indexOf(name ?? 'Default');
}

function bodyMode(name: Mode['requestBody']): number {
  return BODY_MODES.indexOf(name ?? 'None');
}
