import { once } from 'node:events';
import { connect, constants, createServer, type ServerHttp2Stream } from 'node:http2';
import { expect, onTestFinished, test } from 'vitest';
import { OpenStreams } from '../../server/open-streams.ts';

/** What became of a request whose stream the server does that with. */
async function ask(serve: (stream: ServerHttp2Stream) => void): Promise<number | undefined> {
  const server = createServer().on('stream', serve);
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('the server has no port');
  const client = connect(`http://127.0.0.1:${address.port}`);
  onTestFinished(() => {
    client.destroy();
    server.close();
  });
  const request = client.request();
  request.on('error', () => {});
  await new Promise((resolve) => request.once('close', resolve));
  return request.rstCode;
}

test('a stream that its client widens again and again is reset once, and heard of by one listener', async () => {
  let listeners = 0;
  const code = await ask((stream) => {
    const streams = new OpenStreams();
    const before = stream.listenerCount('error');
    expect(streams.open(stream)).toBe(true);
    for (let times = 0; times < 20; times += 1) streams.reset(1);
    listeners = stream.listenerCount('error') - before;
  });
  expect(code).toBe(constants.NGHTTP2_FLOW_CONTROL_ERROR);
  expect(listeners).toBe(1);
});

test('a stream that was widened before the session came to it is reset when it does', async () => {
  let isServed = true;
  const code = await ask((stream) => {
    const streams = new OpenStreams();
    streams.reset(1);
    isServed = streams.open(stream);
  });
  expect(code).toBe(constants.NGHTTP2_FLOW_CONTROL_ERROR);
  expect(isServed).toBe(false);
});
