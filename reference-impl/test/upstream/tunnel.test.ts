import type { Socket } from 'node:net';
import { expect, onTestFinished, test } from 'vitest';
import type { Endpoint } from '../../attachment/view.ts';
import { Cancellation } from '../../base/cancellation.ts';
import { systemClock } from '../../base/clock.ts';
import { HeaderMap } from '../../base/headers.ts';
import { readBody } from '../../base/read-body.ts';
import { ArrivingBody } from '../../upstream/arriving-body.ts';
import type { DialOptions } from '../../upstream/dial.ts';
import { createHttpClient } from '../../upstream/http-client.ts';
import { dialThrough } from '../../upstream/tunnel.ts';
import { startTcp } from '../support/data-plane.ts';

const DESTINATION: Endpoint = { kind: 'tcp', host: 'far.example', port: 443 };
const DIRECT: DialOptions = { connectTimeout: 2000, keepalive: undefined };

interface Dialled {
  readonly error: Error | null;
  readonly socket: Socket | null;
  /** What the proxy server was asked. */
  readonly asked: string;
}

/** Dials through a proxy server that says so when it has been asked, and goes on saying what it hears. */
async function dialled(answer: string | undefined, connectTimeout = 2000): Promise<Dialled> {
  let asked = '';
  const proxy = await startTcp((socket) => {
    socket.once('data', (bytes) => {
      asked = bytes.toString();
      if (answer === undefined) return;
      if (answer === '') socket.end();
      else socket.write(answer);
      socket.on('data', (more) => socket.write(more));
    });
  });
  onTestFinished(() => proxy[Symbol.asyncDispose]());
  const endpoints: Endpoint[] = [{ kind: 'tcp', host: '127.0.0.1', port: proxy.port }];
  const tunnel = { endpoints, dial: DIRECT, unusable: undefined };
  return new Promise((resolve) => {
    dialThrough(DESTINATION, { ...DIRECT, connectTimeout, tunnel }, systemClock, (error, socket) => {
      onTestFinished(() => void socket?.destroy());
      resolve({ error, socket, asked });
    });
  });
}

test('asks for the destination, and what is written then arrives there', async () => {
  const { socket, asked } = await dialled('HTTP/1.1 200 Connection established\r\nvia: p\r\n\r\nhello');
  expect(asked).toBe('CONNECT far.example:443 HTTP/1.1\r\nHost: far.example:443\r\n\r\n');
  const heard = await new Promise((resolve) => {
    let text = '';
    socket?.on('data', (bytes: Buffer) => {
      text += bytes.toString();
      if (text === 'hello') socket.write('!');
      if (text === 'hello!') resolve(text);
    });
    socket?.resume();
  });
  expect(heard).toBe('hello!');
});

test.each([
  ['a refusal', 'HTTP/1.1 407 Proxy Authentication Required\r\ncontent-length: 0\r\n\r\n', 'upstreamCallFailed'],
  ['another success', 'HTTP/1.1 204 No Content\r\n\r\n', 'upstreamCallFailed'],
  ['no HTTP', 'SSH-2.0-x\r\n\r\n', 'upstreamCallFailed'],
  ['a head without an end', `HTTP/1.1 200 OK\r\nx: ${'y'.repeat(9000)}`, 'upstreamCallFailed'],
  ['the end of the connection', '', 'upstreamCallFailed'],
])('%s is a failure', async (_, answer, code) => {
  const { error, socket } = await dialled(answer);
  expect(socket).toBeNull();
  expect(error).toMatchObject({ code });
});

test('silence is a failure after the connect timeout', async () => {
  const { error } = await dialled(undefined, 50);
  expect(error).toMatchObject({ code: 'upstreamCallTimeout' });
});

test('a proxy server that cannot be found is never left out', () => {
  const tunnel = { endpoints: [], dial: DIRECT, unusable: 'no such backend' };
  expect(() => dialThrough(DESTINATION, { ...DIRECT, tunnel }, systemClock, () => {})).toThrow('no such backend');
});

test('requests go through it, and their answers back', async () => {
  const heard: string[] = [];
  const proxy = await startTcp((socket) => {
    socket.on('data', (bytes) => {
      const [line = ''] = bytes.toString().split('\r\n', 1);
      heard.push(line);
      const body = line.startsWith('CONNECT') ? '' : 'content-length: 2\r\n\r\nhi';
      socket.write(`HTTP/1.1 200 OK\r\n${body === '' ? '\r\n' : body}`);
    });
  });
  onTestFinished(() => proxy[Symbol.asyncDispose]());
  const client = createHttpClient(systemClock);
  onTestFinished(() => client.close());
  const endpoints: Endpoint[] = [{ kind: 'tcp', host: '127.0.0.1', port: proxy.port }];
  const dial = { ...DIRECT, tunnel: { endpoints, dial: DIRECT, unusable: undefined } };
  for (const target of ['/a', '/b']) {
    const request = {
      method: 'GET',
      scheme: 'http',
      authority: 'far.example',
      target,
      version: 'HTTP/1.1',
      headers: HeaderMap.EMPTY,
      body: undefined,
    } as const;
    const call = { endpoint: DESTINATION, dial, request, requestTimeout: 2000, cancellation: new Cancellation() };
    const { status, body } = await client.send(call);
    const { bytes } = await readBody(body, 100);
    expect([status, Buffer.from(bytes).toString()]).toEqual([200, 'hi']);
  }
  expect(heard[0]).toBe('CONNECT far.example:443 HTTP/1.1');
  expect(heard.filter((line) => !line.startsWith('CONNECT'))).toEqual(['GET /a HTTP/1.1', 'GET /b HTTP/1.1']);
});

test('a request with trailers is answered through it, too', async () => {
  let heard = '';
  const proxy = await startTcp((socket) => {
    socket.on('data', (bytes) => {
      heard += bytes.toString();
      if (heard.endsWith('443\r\n\r\n')) socket.write('HTTP/1.1 200 OK\r\n\r\n');
      if (heard.endsWith('x-sum: 5\r\n\r\n')) socket.write('HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\nhi');
    });
  });
  onTestFinished(() => proxy[Symbol.asyncDispose]());
  const client = createHttpClient(systemClock);
  onTestFinished(() => client.close());
  const body = new ArrivingBody(undefined, { pause: () => {}, resume: () => {}, cancel: () => {} });
  body.push(Buffer.from('hello'));
  body.end(HeaderMap.of([['x-sum', '5']]));
  const request = {
    method: 'POST',
    scheme: 'http',
    authority: 'far.example',
    target: '/a',
    version: 'HTTP/1.1',
    headers: HeaderMap.EMPTY,
    body,
    announced: 'x-sum',
  } as const;
  const endpoints: Endpoint[] = [{ kind: 'tcp', host: '127.0.0.1', port: proxy.port }];
  const dial = { ...DIRECT, tunnel: { endpoints, dial: DIRECT, unusable: undefined } };
  const call = { endpoint: DESTINATION, dial, request, requestTimeout: 2000, cancellation: new Cancellation() };
  const { status, body: answer } = await client.send(call);
  const { bytes } = await readBody(answer, 100);
  expect([status, Buffer.from(bytes).toString()]).toEqual([200, 'hi']);
});
