import type { Buffer } from 'node:buffer';
import type { ClientHttp2Stream } from 'node:http2';
import {
  create,
  type DescMessage,
  fromBinary,
  type MessageInitShape,
  type MessageShape,
  toBinary,
} from '@bufbuild/protobuf';
import { Code, ConnectError, type Transport } from '@connectrpc/connect';
import type { Endpoint } from '../attachment/view.ts';
import type { Clock } from '../base/clock.ts';
import { once } from '../base/once.ts';
import { untilDrained } from '../base/until-drained.ts';
import { endpointText } from './endpoints.ts';
import { GrpcCall, type OpenStream } from './grpc-call.ts';
import { frame } from './grpc-frames.ts';

/**
 * gRPC on streams of HTTP/2, for the generated clients of the library. The library has a transport of its own, made for several
 * protocols, which takes several times as long for a call (`node bench/grpc.ts`). Here nothing is compressed, and the metadata of
 * answers is not kept.
 */
export function createGrpcTransport(open: OpenStream, clock: Clock): Transport {
  return {
    unary: async (...[method, signal, timeoutMs, , input]) => {
      const question = encode(method.input, input);
      const call = new GrpcCall(clock, { signal, timeoutMs });
      const stream = await call.open(open, pathOf(method));
      stream.end(question);
      const message = fromBinary(method.output, await theOnly(call.messages(stream)));
      return { stream: false, ...about(method), message };
    },
    stream: async (...[method, signal, timeoutMs, , input]) => {
      const call = new GrpcCall(clock, { signal, timeoutMs });
      const stream = await call.open(open, pathOf(method));
      sendAll(stream, input, (message) => encode(method.input, message)).catch((error: unknown) => {
        call.fail(ConnectError.from(error));
      });
      await call.answered(stream);
      return { stream: true, ...about(method), message: decodeAll(method.output, call.messages(stream)) };
    },
  };
}

export interface Method {
  readonly parent: { readonly typeName: string };
  readonly name: string;
}

/** The authority of every call to the endpoint. */
export function grpcAuthority(endpoint: Endpoint): string {
  return endpoint.kind === 'unix' ? 'localhost' : endpointText(endpoint);
}

/** `/package.Service/Method` */
export function pathOf({ parent, name }: Method): string {
  return `/${parent.typeName}/${name}`;
}

function encode<Input extends DescMessage>(schema: Input, message: MessageInitShape<Input>): Buffer {
  return frame(toBinary(schema, create(schema, message)));
}

/** What the library wants to know of an answer beside its messages. */
function about<Described extends { readonly parent: unknown }>(
  method: Described,
): { service: Described['parent']; method: Described; header: Headers; trailer: Headers } {
  return { service: method.parent, method, header: none(), trailer: none() };
}

/** The first of these loads the client of browsers that Node brings: a fifth of the start of a proxy that calls no gRPC. */
const none = once(() => new Headers());

async function theOnly(messages: AsyncIterable<Uint8Array>): Promise<Uint8Array> {
  let only: Uint8Array | undefined;
  for await (const message of messages) {
    if (only !== undefined) throw new ConnectError('the server sent more than one message', Code.Unimplemented);
    only = message;
  }
  if (only === undefined) throw new ConnectError('the server sent no message', Code.Unimplemented);
  return only;
}

/** Sends each message as it comes, then ends our half. */
async function sendAll<Message>(
  stream: ClientHttp2Stream,
  messages: AsyncIterable<Message>,
  bytesOf: (message: Message) => Buffer,
): Promise<void> {
  for await (const message of messages) {
    if (stream.destroyed || stream.writableEnded) return;
    if (!stream.write(bytesOf(message))) await untilDrained(stream);
  }
  stream.end();
}

async function* decodeAll<Output extends DescMessage>(
  schema: Output,
  messages: AsyncIterable<Uint8Array>,
): AsyncGenerator<MessageShape<Output>> {
  for await (const message of messages) yield fromBinary(schema, message);
}
