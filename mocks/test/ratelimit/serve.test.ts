import { status } from '@grpc/grpc-js';
import { describe, expect, test } from 'vitest';
import { createGates } from '../../gates.ts';
import { RateLimitResponse_Code } from '../../wire/gen/rls_pb.js';
import { viewsOf, start } from '../support/start.ts';
import { askerOf, descriptor } from './support.ts';

const { OK, OVER_LIMIT, UNKNOWN } = RateLimitResponse_Code;

describe('ratelimit mock, asked by another gRPC stack', () => {
  test.each([{}, { tls: true }])('allows by default and writes down what it was asked %o', async (options) => {
    const mock = await start({ kind: 'ratelimit', ...options });
    const ask = askerOf(mock);
    const question = { domain: 'd', descriptors: [descriptor({ a: '1', b: '2' }), descriptor({ c: '3' }, 4n)] };
    expect((await ask(question)).overallCode).toBe(OK);
    expect(await mock.ledger.until(({ active }) => active === 0, 5000)).toBe(true);
    expect(viewsOf(mock, 'rpc', 'domain', 'descriptors', 'hitsAddend', 'complete', 'aborted', 'connection')).toEqual([
      {
        rpc: '/envoy.service.ratelimit.v3.RateLimitService/ShouldRateLimit',
        domain: 'd',
        descriptors: [
          {
            entries: [
              { key: 'a', value: '1' },
              { key: 'b', value: '2' },
            ],
            hitsAddend: null,
          },
          { entries: [{ key: 'c', value: '3' }], hitsAddend: 4 },
        ],
        hitsAddend: 0,
        complete: true,
        aborted: false,
        connection: 1,
      },
    ]);
    if ('tls' in options) expect(viewsOf(mock, 'tls')).toMatchObject([{ tls: { offered: ['h2'], alpn: 'h2' } }]);
  });

  test('counts by descriptor: exact entries, every value of an open one on its own', async () => {
    const limits = [
      { domain: 'd', entries: { user: 'vip' }, hits: 3, unit: 'hour' },
      { domain: 'd', entries: { user: true }, hits: 1, unit: 'hour' },
    ];
    const ask = askerOf(await start({ kind: 'ratelimit', limits }));
    const codes = async (user: string, times: number, domain = 'd'): Promise<readonly RateLimitResponse_Code[]> => {
      const answers: RateLimitResponse_Code[] = [];
      for (let count = 0; count < times; count += 1) {
        answers.push((await ask({ domain, descriptors: [descriptor({ user })] })).overallCode);
      }
      return answers;
    };
    expect(await codes('vip', 4)).toEqual([OK, OK, OK, OVER_LIMIT]);
    expect(await codes('a', 2)).toEqual([OK, OVER_LIMIT]);
    expect(await codes('b', 2)).toEqual([OK, OVER_LIMIT]);
    expect(await codes('b', 2, 'other')).toEqual([OK, OK]);
    expect((await ask({ domain: 'd', descriptors: [descriptor({ user: 'b', x: '1' })] })).overallCode).toBe(OK);
  });

  test('hits come from the descriptor, else from the request, else are one', async () => {
    const limits = [{ entries: { k: true }, hits: 10, unit: 'minute' }];
    const ask = askerOf(await start({ kind: 'ratelimit', limits }));
    const remaining = async (k: string, hits?: bigint, hitsAddend = 0): Promise<readonly number[]> => {
      const { statuses } = await ask({ domain: 'd', hitsAddend, descriptors: [descriptor({ k }, hits)] });
      return statuses.map(({ limitRemaining }) => limitRemaining);
    };
    expect(await remaining('a')).toEqual([9]);
    expect(await remaining('a', 4n)).toEqual([5]);
    expect(await remaining('a', undefined, 3)).toEqual([2]);
    expect(await remaining('a', 0n)).toEqual([2]);
    expect(await remaining('a', 9n)).toEqual([0]);
  });

  test('one descriptor over its limit is enough, and the statuses tell which', async () => {
    const limits = [{ entries: { k: 'tight' }, hits: 0, unit: 'second', name: 'n' }];
    const ask = askerOf(await start({ kind: 'ratelimit', limits }));
    const { overallCode, statuses } = await ask({
      domain: 'd',
      descriptors: [descriptor({ k: 'free' }), descriptor({ k: 'tight' })],
    });
    expect(overallCode).toBe(OVER_LIMIT);
    expect(statuses).toMatchObject([{ code: OK }, { code: OVER_LIMIT, currentLimit: { requestsPerUnit: 0, unit: 1 } }]);
    expect(statuses[0]?.currentLimit).toBeUndefined();
  });

  test('says what its script says', async () => {
    const reply = {
      code: 'UNKNOWN',
      body: 'slow down',
      requestHeaders: { 'x-up': 'u' },
      responseHeaders: { 'x-down': ['a', 'b'] },
      statuses: [{ code: 'OVER_LIMIT', limit: 5, unit: 'hour', remaining: 2, reset: '1500ms' }],
    };
    const answer = await askerOf(await start({ kind: 'ratelimit', reply }))({ domain: 'd' });
    expect(answer).toMatchObject({
      overallCode: UNKNOWN,
      requestHeadersToAdd: [{ key: 'x-up', value: 'u' }],
      responseHeadersToAdd: [
        { key: 'x-down', value: 'a' },
        { key: 'x-down', value: 'b' },
      ],
      statuses: [{ limitRemaining: 2, durationUntilReset: { seconds: 1n, nanos: 500_000_000 } }],
    });
    expect(Buffer.from(answer.rawBody).toString()).toBe('slow down');
  });

  test('lanes are chosen by domain and entries, each with a count of its own', async () => {
    const mock = await start({
      kind: 'ratelimit',
      on: [
        { match: { entries: { user: 'a' } }, replies: [{ code: 'OVER_LIMIT' }, { code: 'OK' }] },
        { match: { domain: 'closed' }, reply: { code: 'OVER_LIMIT' } },
      ],
      reply: { fail: 'nobody else' },
    });
    const ask = askerOf(mock);
    const withA = { domain: 'd', descriptors: [descriptor({ x: '1' }), descriptor({ user: 'a', y: '2' })] };
    expect((await ask(withA)).overallCode).toBe(OVER_LIMIT);
    expect((await ask(withA)).overallCode).toBe(OK);
    expect((await ask({ domain: 'closed' })).overallCode).toBe(OVER_LIMIT);
    expect(mock.ledger.fails).toEqual([]);
    await expect(ask({ domain: 'open' })).rejects.toMatchObject({ code: status.FAILED_PRECONDITION });
    expect(mock.ledger.fails).toEqual(['peer up was asked about open: nobody else']);
  });

  test('a gate holds the answer back', async () => {
    const gates = createGates();
    const mock = await start({ kind: 'ratelimit', reply: { gate: 'go', giveUp: '60s' } }, gates);
    const answer = askerOf(mock)({ domain: 'd' });
    expect(await mock.ledger.until(({ entries }) => entries[0]?.complete === true, 5000)).toBe(true);
    expect(mock.ledger.active).toBe(1);
    gates.open('go');
    expect((await answer).overallCode).toBe(OK);
  });

  test.each([
    [
      { error: 'UNAVAILABLE', message: 'later' },
      { code: status.UNAVAILABLE, details: 'later' },
    ],
    [{ fault: 'reset' }, { code: status.UNAVAILABLE }],
    [{ fault: 'reset-stream' }, { code: status.INTERNAL }],
    [{ fault: 'garbage' }, { code: status.INTERNAL }],
    [{ fault: 'no-grpc' }, { code: status.UNIMPLEMENTED }],
  ])('%o', async (reply, error) => {
    const mock = await start({ kind: 'ratelimit', reply });
    await expect(askerOf(mock)({ domain: 'd' })).rejects.toMatchObject(error);
    expect(viewsOf(mock, 'domain', 'complete')).toEqual([{ domain: 'd', complete: true }]);
  });

  test('only a client that gives up is written down as such', async () => {
    const mock = await start({ kind: 'ratelimit', replies: [{ fault: 'reset-stream' }, { fault: 'hang' }] });
    const ask = askerOf(mock);
    const question = { domain: 'd', descriptors: [descriptor({ a: '1' })] };
    await expect(ask(question)).rejects.toMatchObject({ code: status.INTERNAL });
    await expect(ask(question, 100)).rejects.toMatchObject({ code: status.DEADLINE_EXCEEDED });
    expect(await mock.ledger.until(({ active }) => active === 0, 5000)).toBe(true);
    expect(viewsOf(mock, 'aborted')).toEqual([{ aborted: false }, { aborted: true }]);
  });

  test('a reset under TLS', async () => {
    const mock = await start({ kind: 'ratelimit', tls: true, reply: { fault: 'reset' } });
    await expect(askerOf(mock)({ domain: 'd' })).rejects.toMatchObject({ code: status.UNAVAILABLE });
  });

  test.each(['reset', 'garbage', 'refuse'])('%s on every connection', async (fault) => {
    const mock = await start({ kind: 'ratelimit', fault });
    await expect(askerOf(mock)({ domain: 'd' })).rejects.toMatchObject({ code: status.UNAVAILABLE });
    expect(mock.ledger.entries).toEqual([]);
  });
});
