import { once } from 'node:events';
import { createServer, type ServerHttp2Session } from 'node:http2';
import { expect, test } from 'vitest';
import { frameExchange } from '../../steps/http2-frame-client.ts';
import { stepContext } from '../support/step-context.ts';

/** What became of each of three pings that a server sends one after another: answered, or not while the connection stood. */
async function pinged(pongs: number): Promise<readonly boolean[]> {
  const server = createServer();
  const asked = new Promise<readonly boolean[]>((resolve) => {
    server.once('session', (session) => {
      resolve(pingThrice(session));
    });
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  const port = typeof address === 'object' ? (address?.port ?? 0) : 0;
  try {
    const options = {
      host: '127.0.0.1',
      port,
      authority: 'a.test',
      tls: undefined,
      preface: true,
      answers: true,
      pongs,
      until: 'GOAWAY',
      count: 1,
    } as const;
    await frameExchange([], options, await stepContext({ data: { host: options.host, port } }));
    return await asked;
  } finally {
    server.close();
  }
}

async function pingThrice(session: ServerHttp2Session): Promise<readonly boolean[]> {
  const answers = [1, 2, 3].map(
    () =>
      new Promise<boolean>((resolve) => {
        session.ping((error) => {
          resolve(error === null);
        });
      }),
  );
  // Settings that are acknowledged later than the pings show that no more answers are to come.
  await new Promise<void>((resolve) => {
    session.settings({ maxConcurrentStreams: 7 }, () => {
      resolve();
    });
  });
  session.goaway();
  session.destroy();
  return Promise.all(answers);
}

test.each([
  [Infinity, [true, true, true]],
  [2, [true, true, false]],
])('of three pings %d are answered at most', async (pongs, answered) => {
  expect(await pinged(pongs)).toEqual(answered);
});
