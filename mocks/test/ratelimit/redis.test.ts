import { spawn, spawnSync } from 'node:child_process';
import type { ChildProcess } from 'node:child_process';
import { createServer } from 'node:net';
import { createInterface } from 'node:readline';
import * as fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { listen } from '../../listen.ts';
import { RateLimitResponse_Code } from '../../wire/gen/rls_pb.js';
import { parse, redisCounters } from '../../ratelimit/redis.ts';
import { start } from '../support/start.ts';
import { askerOf, descriptor } from './support.ts';

const { OK, OVER_LIMIT } = RateLimitResponse_Code;

const isInstalled = spawnSync('redis-server', ['--version']).status === 0;
if (!isInstalled) console.log('counters in Redis are skipped: there is no redis-server here');

describe.skipIf(!isInstalled)('counters in Redis', () => {
  let url = '';
  let server: ChildProcess | undefined;

  beforeAll(async () => {
    const port = await freePort();
    const started = spawn('redis-server', [
      '--port',
      String(port),
      '--bind',
      '127.0.0.1',
      '--save',
      '',
      '--appendonly',
      'no',
    ]);
    server = started;
    for await (const line of createInterface({ input: started.stdout })) {
      if (line.includes('Ready to accept connections')) break;
    }
    url = `redis://127.0.0.1:${port}`;
  });
  afterAll(() => {
    server?.kill();
  });

  test('several servers count together', async () => {
    const script = { kind: 'ratelimit', redis: url, limits: [{ entries: { user: true }, hits: 2, unit: 'hour' }] };
    const asks = [askerOf(await start(script)), askerOf(await start(script))] as const;
    const question = { domain: 'shared', descriptors: [descriptor({ user: 'a' })] };
    expect((await asks[0](question)).overallCode).toBe(OK);
    expect((await asks[1](question)).overallCode).toBe(OK);
    expect((await asks[0](question)).overallCode).toBe(OVER_LIMIT);
    const other = { domain: 'shared', descriptors: [descriptor({ user: 'b' })] };
    expect((await asks[1](other)).overallCode).toBe(OK);
  });

  test('a counter begins anew when its time is over', async () => {
    const counters = await redisCounters(url);
    expect(await counters.add('k', 3, 3_600_000)).toMatchObject({ count: 3 });
    const { count, resetIn } = await counters.add('k', 2, 3_600_000);
    expect(count).toBe(5);
    expect(resetIn).toBeGreaterThan(3_500_000);
    // Asked until the time of a counter of one millisecond is over: the next answer counts from the beginning.
    while ((await counters.add('short', 1, 1)).count !== 1);
    expect((await counters.add('other', 1, 1000)).count).toBe(1);
    counters.close();
  });

  test('questions that are asked at once get the answers that belong to them', async () => {
    const counters = await redisCounters(url);
    const answers = await Promise.all(Array.from({ length: 50 }, (_, n) => counters.add(`many-${n}`, n, 60_000)));
    expect(answers.map(({ count }) => count)).toEqual(Array.from({ length: 50 }, (_, n) => n));
    counters.close();
    await expect(counters.add('k', 1, 1000)).rejects.toThrow('closed');
  });
});

test('a server that is not there, or is no Redis', async () => {
  await expect(redisCounters(`redis://127.0.0.1:${await freePort()}`)).rejects.toMatchObject({ code: 'ECONNREFUSED' });
  const { port } = await start({ kind: 'tcp', sends: [{ after: 1 }, 'HTTP/1.1 400\r\n\r\n'] });
  const counters = await redisCounters(`redis://127.0.0.1:${port}`);
  await expect(counters.add('k', 1, 1000)).rejects.toThrow('no Redis');
  counters.close();
});

test('a reply is read only when all of it is there, wherever it is cut', () => {
  const whole = Buffer.from('*3\r\n:7\r\n$5\r\nab\r\nc\r\n*1\r\n$-1\r\n');
  expect(parse(whole, 0)).toEqual({ reply: [7, 'ab\r\nc', [null]], end: whole.length });
  for (let length = 0; length < whole.length; length += 1) expect(parse(whole.subarray(0, length), 0)).toBeUndefined();
});

test('no bytes make the reader throw', () => {
  const byte = fc.constantFrom(...Buffer.from('+-:$*019\r\nx'));
  fc.assert(
    fc.property(fc.array(byte, { maxLength: 12 }), (bytes) => {
      const parsed = parse(Buffer.from(bytes), 0);
      expect(parsed === undefined || parsed.end <= bytes.length).toBe(true);
    }),
    { numRuns: 5000 },
  );
});

/** A port that was free a moment ago. */
async function freePort(): Promise<number> {
  const { port, close } = await listen(createServer(), { host: '127.0.0.1' });
  await close();
  return port;
}
