import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { expect, it } from 'vitest';
import { get, policy, simpleSetup, startDataPlane, startUpstream, type DataPlane } from '../support/data-plane.ts';
import { manualClock } from '../trace/manual-clock.ts';

const GET = 'GET / HTTP/1.1\r\nHost: a\r\n\r\n';
const MINUTE = 60_000;

it('FRONT-022: ends an idle connection after ten minutes and not before', async () => {
  const clock = manualClock();
  await using upstream = await startUpstream();
  await using plane = await startDataPlane((port) => simpleSetup(port, upstream.port), { clock });
  await using client = await talk(plane);
  await client.ask(GET, 'hello');
  clock.advance(10 * MINUTE - 1);
  await client.ask(GET, 'hello');
  clock.advance(10 * MINUTE - 1);
  // Whoever is answered shows that nothing was closed by then.
  await client.ask(GET, 'hello');
  clock.advance(10 * MINUTE);
  await client.ended;
  expect(client.heard()).not.toMatch(/connection: close/i);
});

it('FRONT-021: counts from the end of an answer, and not while one is under way or a request is coming', async () => {
  const clock = manualClock();
  const asked = Promise.withResolvers<() => void>();
  await using upstream = await startUpstream((request, response) => {
    if (request.url === '/slow') asked.resolve(() => response.end('late'));
    else response.end('hello');
  });
  await using plane = await startDataPlane((port) => limited(port, upstream.port, { http1IdleTimeout: '2s' }), {
    clock,
  });
  await using client = await talk(plane);
  client.socket.write(GET.replace('/', '/slow'));
  const release = await asked.promise;
  clock.advance(MINUTE);
  release();
  await client.has('late');
  clock.advance(1999);
  client.socket.write('GET / HT');
  await othersAreServed(plane);
  clock.advance(1999);
  await client.ask('TP/1.1\r\nHost: a\r\n\r\n', 'hello');
  clock.advance(2000);
  await client.ended;
});

it('a client that never says a word is told so after http1IdleTimeout', async () => {
  const clock = manualClock();
  await using plane = await startDataPlane((port) => limited(port, 9, { http1IdleTimeout: '3s' }), { clock });
  await using client = await talk(plane);
  await othersAreServed(plane);
  clock.advance(3000);
  await client.ended;
  expect(client.heard()).toMatch(/^HTTP\/1\.1 408 /);
});

it('FRONT-035: ends a connection of that age at once when nothing is under way', async () => {
  const clock = manualClock();
  await using upstream = await startUpstream();
  await using plane = await startDataPlane((port) => limited(port, upstream.port, { maxConnectionDuration: '5s' }), {
    clock,
  });
  await using client = await talk(plane);
  await client.ask(GET, 'hello');
  clock.advance(4999);
  await client.ask(GET, 'hello');
  expect(client.heard()).not.toMatch(/connection: close/i);
  clock.advance(1);
  await client.ended;
});

it('FRONT-036: the answer under way is the last one and says so, and nothing behind it is served', async () => {
  const clock = manualClock();
  const asked = Promise.withResolvers<() => void>();
  await using upstream = await startUpstream((_, response) => {
    asked.resolve(() => response.end('late'));
  });
  await using plane = await startDataPlane((port) => limited(port, upstream.port, { maxConnectionDuration: '5s' }), {
    clock,
  });
  await using client = await talk(plane);
  client.socket.write(GET + GET);
  const release = await asked.promise;
  clock.advance(5000);
  release();
  await client.ended;
  expect(client.heard()).toMatch(/^HTTP\/1\.1 200 [^]*connection: close[^]*late$/i);
  expect(upstream.received).toHaveLength(1);
});

it('FRONT-037: an answer that has begun comes to its end before the connection is closed', async () => {
  const clock = manualClock();
  const asked = Promise.withResolvers<() => void>();
  await using upstream = await startUpstream((_, response) => {
    response.write('first ');
    asked.resolve(() => response.end('last'));
  });
  await using plane = await startDataPlane((port) => limited(port, upstream.port, { maxConnectionDuration: '5s' }), {
    clock,
  });
  await using client = await talk(plane);
  client.socket.write(GET);
  const release = await asked.promise;
  await client.has('first ');
  clock.advance(5000);
  release();
  await client.ended;
  expect(client.heard()).toMatch(/\r\nlast\r\n0\r\n\r\n$/);
  expect(client.failure()).toBeUndefined();
});

it('a request that is coming when the connection gets too old is still served', async () => {
  const clock = manualClock();
  await using upstream = await startUpstream();
  await using plane = await startDataPlane((port) => limited(port, upstream.port, { maxConnectionDuration: '5s' }), {
    clock,
  });
  await using client = await talk(plane);
  await client.ask(GET, 'hello');
  client.socket.write('GET / HT');
  await othersAreServed(plane);
  clock.advance(5000);
  client.socket.write('TP/1.1\r\nHost: a\r\n\r\n');
  await client.ended;
  expect(client.heard()).toMatch(/connection: close[^]*hello$/i);
});

/** Whoever is answered behind them shows that the bytes before were read. */
async function othersAreServed({ port }: DataPlane): Promise<void> {
  expect(await get(port)).toMatch(/^HTTP/);
}

function limited(port: number, upstream: number, http: object): object[] {
  return [...simpleSetup(port, upstream), policy('Gateway', { frontend: { http } })];
}

interface Talk extends AsyncDisposable {
  readonly socket: Socket;
  readonly heard: () => string;
  readonly failure: () => Error | undefined;
  /** Resolves when the word has come once more. */
  readonly has: (word: string) => Promise<void>;
  readonly ask: (bytes: string, word: string) => Promise<void>;
  readonly ended: Promise<unknown>;
}

async function talk({ port }: DataPlane): Promise<Talk> {
  const socket = connect(port, '127.0.0.1');
  await once(socket, 'connect');
  let heard = '';
  let seen = 0;
  let failure: Error | undefined;
  socket.setEncoding('latin1').on('data', (chunk: string) => {
    heard += chunk;
  });
  socket.on('error', (error) => {
    failure = error;
  });
  const has = async (word: string): Promise<void> => {
    while (!heard.includes(word, seen)) await once(socket, 'data');
    seen = heard.length;
  };
  return {
    socket,
    heard: () => heard,
    failure: () => failure,
    has,
    ask: (bytes, word) => {
      socket.write(bytes);
      return has(word);
    },
    ended: once(socket, 'close'),
    [Symbol.asyncDispose]: async () => {
      socket.destroy();
      await Promise.resolve();
    },
  };
}
