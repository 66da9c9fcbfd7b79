import { create, fromBinary, isMessage, toBinary } from '@bufbuild/protobuf';
import type { MessageInitShape } from '@bufbuild/protobuf';
import { Client, credentials } from '@grpc/grpc-js';
import type { ClientDuplexStream, StatusObject } from '@grpc/grpc-js';
import { describe, expect, onTestFinished, test } from 'vitest';
import type { Mock } from '../../mock.ts';
import { createGates } from '../../gates.ts';
import { ProcessingRequestSchema, ProcessingResponseSchema } from '../../wire/gen/ext_proc_pb.js';
import type { ProcessingRequest, ProcessingResponse } from '../../wire/gen/ext_proc_pb.js';
import { viewsOf, start } from '../support/start.ts';

// The client is another gRPC stack than the one the mock is made with.

const FULL_DUPLEX = 4;
const BUFFERED = 2;

describe('an external processor', () => {
  test('lets everything pass when the script says nothing, and lists what it was told', async () => {
    const mock = await start({ kind: 'extproc' });
    const stream = open(mock);
    const headers = {
      headers: [
        { key: ':path', value: '/a' },
        { key: 'x-a', rawValue: Buffer.from('b') },
      ],
    };
    stream.send({
      request: { case: 'requestHeaders', value: { headers: { headers: [...headers.headers] }, endOfStream: false } },
      protocolConfig: { requestBodyMode: FULL_DUPLEX, responseBodyMode: BUFFERED },
      attributes: { some: { x: 1 } },
      metadataContext: { filterMetadata: { ns: { k: 'v' } } },
    });
    expect((await stream.next()).response).toMatchObject({ case: 'requestHeaders' });
    stream.send({ request: { case: 'requestBody', value: { body: Buffer.from('one'), endOfStream: true } } });
    expect((await stream.next()).response).toMatchObject({
      case: 'requestBody',
      value: { response: { bodyMutation: { mutation: { case: 'streamedResponse', value: { endOfStream: true } } } } },
    });
    stream.send({ request: { case: 'responseBody', value: { body: Buffer.from('two'), endOfStream: true } } });
    const buffered = await stream.next();
    expect(buffered.response.case).toBe('responseBody');
    expect(buffered.response.value).not.toHaveProperty('response.bodyMutation');
    stream.end();
    expect(await stream.status).toMatchObject({ code: 0 });
    expect(viewsOf(mock, 'kinds', 'messages', 'requestBody', 'responseBody', 'complete', 'ended')).toEqual([
      {
        kinds: ['requestHeaders', 'requestBody', 'responseBody'],
        messages: [
          {
            kind: 'requestHeaders',
            headers: { ':path': '/a', 'x-a': 'b' },
            end: false,
            attributes: { some: { x: 1 } },
            attributeValues: { x: 1 },
            metadata: { ns: { k: 'v' } },
            protocolConfig: { requestBodyMode: 'FullDuplexStreamed', responseBodyMode: 'Buffered' },
          },
          { kind: 'requestBody', body: 'one', bytes: 3, end: true },
          { kind: 'responseBody', body: 'two', bytes: 3, end: true },
        ],
        requestBody: 'one',
        responseBody: 'two',
        complete: true,
        ended: 'done',
      },
    ]);
  });

  test('edits headers and trailers, overrides the mode and adds metadata', async () => {
    const mock = await start({
      kind: 'extproc',
      requestHeaders: {
        set: { 'x-a': 'b' },
        append: { 'x-b': ['c', 'd'] },
        remove: ['x-c'],
        mode: { responseBody: 'Buffered', responseHeaders: 'Skip' },
        metadata: { ns: { k: 'v' } },
      },
      responseTrailers: { set: { 'x-sum': '1' } },
    });
    const stream = open(mock);
    stream.send({ request: { case: 'requestHeaders', value: { endOfStream: true } } });
    expect(await stream.next()).toMatchObject({
      response: {
        case: 'requestHeaders',
        value: {
          response: {
            headerMutation: {
              setHeaders: [
                { header: { key: 'x-a' }, append: false, appendAction: 2 },
                { header: { key: 'x-b' }, append: true, appendAction: 0 },
                { header: { key: 'x-b' }, append: true, appendAction: 0 },
              ],
              removeHeaders: ['x-c'],
            },
          },
        },
      },
      modeOverride: { responseBodyMode: BUFFERED, responseHeaderMode: 2 },
      dynamicMetadata: { ns: { k: 'v' } },
    });
    stream.send({ request: { case: 'responseTrailers', value: {} } });
    expect((await stream.next()).response).toMatchObject({
      case: 'responseTrailers',
      value: { headerMutation: { setHeaders: [{ header: { key: 'x-sum' } }] } },
    });
  });

  test('chooses by request, counts messages of a kind, and knows the last one', async () => {
    const mock = await start({
      kind: 'extproc',
      bodies: { request: 'Streamed' },
      requestBody: { body: 'other' },
      on: [{ match: { path: '/a' }, requestBody: [{ clear: true }, { body: 'second' }, { last: true, body: 'end' }] }],
    });
    const stream = open(mock);
    stream.send({
      request: { case: 'requestHeaders', value: { headers: { headers: [{ key: ':path', value: '/a?q' }] } } },
    });
    await stream.next();
    const bodies: string[] = [];
    for (const endOfStream of [false, false, false, true]) {
      stream.send({ request: { case: 'requestBody', value: { body: Buffer.from('x'), endOfStream } } });
      bodies.push(newBody(await stream.next()));
    }
    expect(bodies).toEqual(['', 'second', 'second', 'end']);
  });

  test('gives a body back as the script says where the proxy does not say how it sends it', async () => {
    for (const [bodies, kept] of [
      [undefined, ['x', true]],
      [{ request: 'Buffered' }, undefined],
    ] as const) {
      const mock = await start({ kind: 'extproc', ...(bodies && { bodies }) });
      const stream = open(mock);
      stream.send({ request: { case: 'requestBody', value: { body: Buffer.from('x'), endOfStream: true } } });
      const answer = await stream.next();
      if (kept === undefined) expect(newBody(answer)).toBe('unchanged');
      else expect(piece(answer)).toEqual(kept);
    }
  });

  test('answers for itself, streams pieces behind a gate, and opens gates', async () => {
    const gates = createGates();
    const mock = await start(
      {
        kind: 'extproc',
        requestHeaders: { open: 'seen' },
        requestBody: { stream: ['one', { gate: 'go' }, 'two'], end: true },
        responseHeaders: { immediate: { status: 418, headers: { 'x-a': 'b' }, body: 'teapot' } },
      },
      gates,
    );
    const stream = open(mock);
    stream.send({ request: { case: 'requestHeaders', value: {} }, protocolConfig: { requestBodyMode: FULL_DUPLEX } });
    await stream.next();
    expect(gates.outcomes()).toEqual({ seen: 'opened' });
    stream.send({ request: { case: 'requestBody', value: { body: Buffer.from('x') } } });
    expect(piece(await stream.next())).toEqual(['one', false]);
    gates.open('go');
    expect(piece(await stream.next())).toEqual(['two', true]);
    stream.send({ request: { case: 'responseHeaders', value: {} } });
    expect((await stream.next()).response).toMatchObject({
      case: 'immediateResponse',
      value: { status: { code: 418 } },
    });
    expect(await stream.status).toMatchObject({ code: 0 });
  });

  test.for([
    ['error', { error: 'UNAVAILABLE' }, 14],
    ['reset of the connection', { fault: 'reset' }, 14],
    ['reset of the stream', { fault: 'reset-stream' }, 13],
    ['garbage', { fault: 'garbage' }, 13],
    ['no gRPC', { fault: 'no-grpc' }, 12],
    ['forbidden', { fail: 'not this' }, 9],
    ['end in good order', { close: true, silent: true }, 0],
  ] as const)('%s', async ([, requestHeaders, code]) => {
    const mock = await start({ kind: 'extproc', requestHeaders });
    const stream = open(mock);
    stream.send({ request: { case: 'requestHeaders', value: {} } });
    expect(await stream.status).toMatchObject({ code });
    expect(mock.ledger.fails).toEqual(code === 9 ? ['peer up was sent requestHeaders: not this'] : []);
  });

  test('a client that leaves is written down as such', async () => {
    const mock = await start({ kind: 'extproc', requestHeaders: { fault: 'hang' } });
    const stream = open(mock);
    stream.send({ request: { case: 'requestHeaders', value: {} } });
    await mock.ledger.until(({ entries }) => entries.length === 1, 2000);
    stream.cancel();
    expect(await mock.ledger.until(({ active }) => active === 0, 2000)).toBe(true);
    expect(viewsOf(mock, 'ended')).toEqual([{ ended: 'cancelled' }]);
  });

  test.for(['reset', 'reset-stream'] as const)('%s of the mock breaks a stream', async (fault) => {
    const mock = await start({ kind: 'extproc', requestHeaders: { fault } });
    const stream = open(mock);
    stream.send({ request: { case: 'requestHeaders', value: {} } });
    await stream.status;
    expect(await mock.ledger.until(({ active }) => active === 0, 2000)).toBe(true);
    expect(viewsOf(mock, 'ended')).toEqual([{ ended: 'broken' }]);
  });

  test('refuses connections', async () => {
    const mock = await start({ kind: 'extproc', fault: 'refuse' });
    const stream = open(mock);
    stream.send({ request: { case: 'requestHeaders', value: {} } });
    expect(await stream.status).toMatchObject({ code: 14 });
  });
});

interface Stream {
  readonly send: (message: MessageInitShape<typeof ProcessingRequestSchema>) => void;
  readonly next: () => Promise<ProcessingResponse>;
  readonly end: () => void;
  readonly cancel: () => void;
  readonly status: Promise<StatusObject>;
}

function open(mock: Mock): Stream {
  const client = new Client(`${mock.host}:${mock.port}`, credentials.createInsecure());
  onTestFinished(() => client.close());
  const call: ClientDuplexStream<ProcessingRequest, ProcessingResponse> = client.makeBidiStreamRequest(
    '/envoy.service.ext_proc.v3.ExternalProcessor/Process',
    (message: ProcessingRequest) => Buffer.from(toBinary(ProcessingRequestSchema, message)),
    (bytes) => fromBinary(ProcessingResponseSchema, bytes),
  );
  const status = new Promise<StatusObject>((resolve) => call.once('status', resolve));
  call.on('error', () => {}); // the status says it too
  const answers = call[Symbol.asyncIterator]();
  return {
    send: (message) => void call.write(create(ProcessingRequestSchema, message)),
    next: async () => {
      const result: IteratorResult<unknown> = await answers.next();
      if (!isMessage(result.value, ProcessingResponseSchema)) throw new Error('no answer');
      return result.value;
    },
    end: () => call.end(),
    cancel: () => call.cancel(),
    // Nobody learns the status of a stream that is not read to its end.
    get status() {
      call.resume();
      return status;
    },
  };
}

function piece({ response }: ProcessingResponse): readonly [string, boolean] | undefined {
  const mutation = response.case === 'requestBody' ? response.value.response?.bodyMutation?.mutation : undefined;
  if (mutation?.case !== 'streamedResponse') return undefined;
  return [Buffer.from(mutation.value.body).toString(), mutation.value.endOfStream];
}

function newBody({ response }: ProcessingResponse): string {
  const mutation = response.case === 'requestBody' ? response.value.response?.bodyMutation?.mutation : undefined;
  if (mutation?.case === 'clearBody') return '';
  return mutation?.case === 'body' ? Buffer.from(mutation.value).toString() : 'unchanged';
}
