import { create } from '@bufbuild/protobuf';
import type { MessageInitShape } from '@bufbuild/protobuf';
import { toBytes } from '../script.ts';
import type { HeaderValueOptionSchema } from '../wire/gen/http_pb.js';
import { ProcessingResponseSchema } from '../wire/gen/ext_proc_pb.js';
import type { CommonResponseSchema, HeaderMutationSchema, ProcessingResponse } from '../wire/gen/ext_proc_pb.js';
import type { Arrived } from './arrived.ts';
import { BODY_MODES, HEADER_MODES } from './script.ts';
import type { Headers, Kind, Mode, Reply } from './script.ts';

type Common = MessageInitShape<typeof CommonResponseSchema>;
type Response = Exclude<MessageInitShape<typeof ProcessingResponseSchema>, ProcessingResponse>['response'];
type BodyMutation = Common['bodyMutation'];

/** The answer to `message`, without the body where that is streamed in pieces of its own. */
export function toAnswer(reply: Reply, message: Arrived, streaming: boolean): ProcessingResponse {
  const kind = reply.as ?? message.kind;
  return create(ProcessingResponseSchema, {
    response:
      reply.immediate === undefined
        ? { case: kind === 'nothing' ? 'requestHeaders' : kind, value: valueOf(kind, reply, message, streaming) }
        : immediate(reply.immediate),
    ...(reply.mode === undefined ? {} : { modeOverride: toMode(reply.mode) }),
    ...(reply.metadata === undefined ? {} : { dynamicMetadata: reply.metadata }),
  } as MessageInitShape<typeof ProcessingResponseSchema>);
}

/** One streamed piece of a body. */
export function toPiece(kind: Arrived['kind'], body: Uint8Array, endOfStream: boolean): ProcessingResponse {
  const bodyMutation: BodyMutation = { mutation: { case: 'streamedResponse', value: { body, endOfStream } } };
  const value = { response: { bodyMutation } };
  return create(ProcessingResponseSchema, {
    response: kind === 'responseBody' ? { case: 'responseBody', value } : { case: 'requestBody', value },
  });
}

function valueOf(kind: Kind | 'nothing', reply: Reply, message: Arrived, streaming: boolean): object {
  const headerMutation = mutation(reply);
  if (kind === 'requestTrailers' || kind === 'responseTrailers')
    return headerMutation === undefined ? {} : { headerMutation };
  const bodyMutation = bodyOf(reply, message, streaming);
  const response: Common = {
    status: reply.replace === true ? 1 : 0,
    ...(headerMutation === undefined ? {} : { headerMutation }),
    ...(bodyMutation === undefined ? {} : { bodyMutation }),
  };
  return { response };
}

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

function toMode(mode: Mode): Record<string, number> {
  const header = (name: Mode['requestHeaders']): number => HEADER_MODES.indexOf(name ?? 'Default');
  const body = (name: Mode['requestBody']): number => BODY_MODES.indexOf(name ?? 'None');
  return {
    requestHeaderMode: header(mode.requestHeaders),
    responseHeaderMode: header(mode.responseHeaders),
    requestBodyMode: body(mode.requestBody),
    responseBodyMode: body(mode.responseBody),
    requestTrailerMode: header(mode.requestTrailers),
    responseTrailerMode: header(mode.responseTrailers),
  };
}
