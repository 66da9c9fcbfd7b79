import { once } from 'node:events';
import { createServer as createHttp2Server } from 'node:http2';
import { createServer } from 'node:net';
import { expect, onTestFinished, test } from 'vitest';
import { stepKinds } from '../../steps/registry.ts';
import type { Observation, StepContext } from '../../steps/step.ts';
import { stepContext } from '../support/step-context.ts';

const ANSWER = 'HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok';

/** A server that answers the first request of a connection, and at the second ends the connection without a word. */
async function answersOnce(): Promise<{ readonly context: StepContext; readonly asked: () => number }> {
  let asked = 0;
  const server = createServer((socket) => {
    let here = 0;
    socket.on('data', () => {
      asked += 1;
      here += 1;
      if (here === 1) socket.write(ANSWER);
      else socket.destroy();
    });
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(() => void server.close());
  const address = server.address();
  const port = typeof address === 'object' && address !== null ? address.port : 0;
  const context = await stepContext({ data: { host: '127.0.0.1', port } });
  onTestFinished(() => {
    context.background.stop();
  });
  return { context, asked: () => asked };
}

async function send(input: object, context: StepContext): Promise<Observation> {
  return (await stepKinds['http']?.run({ connection: 'one', ...input }, context)) ?? {};
}

test('a request is sent again on another connection when the shared one ends with it', async () => {
  const { context, asked } = await answersOnce();
  expect(await send({ GET: '/1' }, context)).toMatchObject({ status: 200 });
  expect(await send({ GET: '/2' }, context)).toMatchObject({ status: 200, closed: 'complete' });
  expect(asked()).toBe(3);
});

test('a request that must not come twice is not', async () => {
  const { context, asked } = await answersOnce();
  expect(await send({ GET: '/1' }, context)).toMatchObject({ status: 200 });
  expect((await send({ POST: '/2', body: 'hello' }, context))['failure']).toMatch(/^(closed|reset)$/);
  expect(asked()).toBe(2);
});

test('a request of HTTP/2 goes over another connection when the server has said goodbye on the shared one', async () => {
  let sessions = 0;
  const server = createHttp2Server((request, response) => {
    // The first request of each connection is its last: what comes next is to go elsewhere.
    request.stream.session?.goaway();
    response.end('ok');
  });
  server.on('session', () => (sessions += 1));
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  const context = await stepContext({
    data: { host: '127.0.0.1', port: typeof address === 'object' && address !== null ? address.port : 0 },
  });
  onTestFinished(() => {
    context.background.stop();
    server.close();
  });
  expect(await send({ GET: '/1', version: '2' }, context)).toMatchObject({ status: 200 });
  expect(await send({ GET: '/2', version: '2' }, context)).toMatchObject({ status: 200 });
  expect(sessions).toBe(2);
});
