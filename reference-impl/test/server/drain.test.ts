import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { expect, it } from 'vitest';
import { simpleSetup, startDataPlane, startUpstream, type DataPlane } from '../support/data-plane.ts';
import { manualClock } from '../trace/manual-clock.ts';

/*
 * How long a drain lasts, to the millisecond: the time of `serve --drain` passes when the test says so. What clients see of it is in
 * test/cli/serve-drain.test.ts.
 */
const DRAIN = 5000;

it('waits for what is under way until its time is over, not a millisecond longer', async () => {
  const clock = manualClock();
  const asked = Promise.withResolvers<() => void>();
  await using upstream = await startUpstream((_, response) => {
    response.write('begun ');
    asked.resolve(() => response.write('more '));
  });
  await using plane = await startDataPlane((port) => simpleSetup(port, upstream.port), { clock });
  using client = talk(plane);
  const goOn = await asked.promise;
  await client.has('begun');

  const over = plane.close(DRAIN);
  clock.advance(DRAIN - 1);
  // Whoever still hears of the answer was not cut.
  goOn();
  await client.has('more');
  clock.advance(1);
  await Promise.all([over, client.ended]);
  expect(client.heard()).not.toMatch(/\r\n0\r\n\r\n$/);
});

it('is over with the last answer, whatever time is left', async () => {
  const clock = manualClock();
  const asked = Promise.withResolvers<() => void>();
  await using upstream = await startUpstream((_, response) => {
    asked.resolve(() => response.end('done'));
  });
  await using plane = await startDataPlane((port) => simpleSetup(port, upstream.port), { clock });
  using client = talk(plane);
  const answer = await asked.promise;
  const over = plane.close(DRAIN);
  answer();
  await Promise.all([over, client.ended]);
  expect(client.heard()).toMatch(/^HTTP\/1\.1 200 [^]*done/);
});

interface Talk extends Disposable {
  readonly heard: () => string;
  readonly has: (word: string) => Promise<void>;
  readonly ended: Promise<unknown>;
}

function talk({ port }: DataPlane): Talk {
  const socket: Socket = connect(port, '127.0.0.1', () => socket.write('GET / HTTP/1.1\r\nHost: a\r\n\r\n'));
  let heard = '';
  socket.setEncoding('latin1').on('data', (chunk: string) => {
    heard += chunk;
  });
  // What is cut may be reset.
  socket.on('error', () => {});
  return {
    heard: () => heard,
    has: async (word) => {
      while (!heard.includes(word)) await once(socket, 'data');
    },
    ended: new Promise((resolve) => socket.once('close', resolve)),
    [Symbol.dispose]: () => socket.destroy(),
  };
}
