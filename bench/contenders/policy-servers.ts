// The servers that policies ask, as lean as node:http2 allows: every check passes, no limit is reached, a processor changes nothing.
// node bench/contenders/policy-servers.ts PORT
//
// The suite's mocks check and keep what they are asked, which takes twice the CPU the proxy takes to ask: a ratio measured with them is theirs.
import { constants, createServer, type ServerHttp2Stream } from 'node:http2';
import { create, fromBinary, type MessageInitShape, toBinary } from '@bufbuild/protobuf';
import { Frames, frame } from '../../reference-impl/upstream/grpc-frames.ts';
import { CheckResponseSchema } from '../../reference-impl/upstream/wire/ext_authz_pb.js';
import {
  ProcessingRequestSchema,
  ProcessingResponseSchema,
  type ProcessingRequest,
} from '../../reference-impl/upstream/wire/ext_proc_pb.js';
import {
  RateLimitResponse_Code as Verdict,
  RateLimitResponseSchema,
} from '../../reference-impl/upstream/wire/rls_pb.js';

const PASSES = toBinary(
  CheckResponseSchema,
  create(CheckResponseSchema, { status: { code: 0 }, httpResponse: { case: 'okResponse', value: {} } }),
);
const WITHIN = toBinary(RateLimitResponseSchema, create(RateLimitResponseSchema, { overallCode: Verdict.OK }));

/** By path: what is answered to one message. */
const ANSWERS: Readonly<Record<string, (message: Uint8Array) => Uint8Array>> = {
  '/envoy.service.auth.v3.Authorization/Check': () => PASSES,
  '/envoy.service.ratelimit.v3.RateLimitService/ShouldRateLimit': () => WITHIN,
  '/envoy.service.ext_proc.v3.ExternalProcessor/Process': (message) =>
    unchanged(fromBinary(ProcessingRequestSchema, message)),
};

const server = createServer({ settings: { maxConcurrentStreams: 1000 } });
server.on('stream', (stream, headers) => {
  const answer = ANSWERS[String(headers[':path'])];
  if (answer === undefined) stream.close(constants.NGHTTP2_REFUSED_STREAM);
  else serve(stream, answer);
});
server.listen(Number(process.argv[2]), '127.0.0.1', () => {
  console.log('ready');
});

function serve(stream: ServerHttp2Stream, answer: (message: Uint8Array) => Uint8Array): void {
  const frames = new Frames();
  stream.on('error', () => stream.close(constants.NGHTTP2_CANCEL));
  stream.respond({ ':status': 200, 'content-type': 'application/grpc+proto' }, { waitForTrailers: true });
  stream.on('wantTrailers', () => stream.sendTrailers({ 'grpc-status': '0' }));
  stream.on('data', (chunk: Buffer) => {
    for (const message of frames.take(chunk)) stream.write(frame(answer(message)));
  });
  stream.on('end', () => stream.end());
}

/** Bodies are said again, of everything else nothing changes. */
function unchanged({ request }: ProcessingRequest): Uint8Array {
  return toBinary(ProcessingResponseSchema, create(ProcessingResponseSchema, { response: echo(request) }));
}

type Reply = NonNullable<MessageInitShape<typeof ProcessingResponseSchema>['response']>;

function echo(request: ProcessingRequest['request']): Reply {
  if (request.case === undefined) throw new Error('a message about nothing');
  if (request.case !== 'requestBody' && request.case !== 'responseBody') return { case: request.case, value: {} };
  const { body, endOfStream } = request.value;
  const bodyMutation = { mutation: { case: 'streamedResponse', value: { body, endOfStream } } } as const;
  return { case: request.case, value: { response: { bodyMutation } } };
}
