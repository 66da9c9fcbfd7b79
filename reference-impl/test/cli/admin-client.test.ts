import { Readable } from 'node:stream';
import nock from 'nock';
import { afterAll, afterEach, describe, expect, test } from 'vitest';
import { fetchAdminJson, openTraceStream } from '../../cli/trace-client/admin-client.ts';

const ADMIN = 'http://127.0.0.1:15000';

// Other files of this worker talk to real servers.
afterAll(nock.restore);

afterEach(() => {
  nock.cleanAll();
});

describe('the admin endpoint as the trace client sees it', () => {
  test('what it is asked for travels as a query, and the events come back one by one', async () => {
    const scope = nock(ADMIN)
      .post('/debug/trace')
      .query({ expression: "request.method == 'GET'", gateway: 'shop/gw', 'source-port': '4711' })
      .reply(200, ': ready\n\ndata: {"n":1}\n\n: keepalive\n\ndata: {"n":2}\n\n', {
        'content-type': 'text/event-stream',
      });
    const query = { expression: "request.method == 'GET'", gateway: 'shop/gw', sourcePort: 4711 };
    const stream = await openTraceStream(15_000, query);
    const payloads: string[] = [];
    for await (const payload of stream.payloads) payloads.push(payload);
    expect(payloads).toEqual(['{"n":1}', '{"n":2}']);
    expect(scope.isDone()).toBe(true);
  });

  test('a refusal is told with its status and its words', async () => {
    nock(ADMIN).post('/debug/trace').query({ expression: 'nonsense(' }).reply(400, 'invalid expression: syntax');
    await expect(openTraceStream(15_000, { expression: 'nonsense(' })).rejects.toThrow(
      'trace stream returned 400: invalid expression: syntax',
    );
  });

  test('a stream that breaks off is a failure, told after the events that came', async () => {
    nock(ADMIN)
      .post('/debug/trace')
      .reply(200, () => Readable.from(brokenStream()));
    const stream = await openTraceStream(15_000, {});
    const payloads: string[] = [];
    const read = async (): Promise<void> => {
      for await (const payload of stream.payloads) payloads.push(payload);
    };
    await expect(read()).rejects.toThrow('failed to read trace stream: ');
    expect(payloads).toEqual(['{"n":1}']);
  });

  test('an error page of another program is shown in part only', async () => {
    nock(ADMIN).post('/debug/trace').reply(502, 'x'.repeat(200_000));
    const refused: unknown = await openTraceStream(15_000, {}).catch((error: unknown) => error);
    expect(String(refused)).toContain('trace stream returned 502: xxx');
    expect(String(refused).length).toBeLessThan(66_000);
  });

  test('a connection that fails is told as what was being done', async () => {
    nock(ADMIN).post('/debug/trace').replyWithError('connect ECONNREFUSED 127.0.0.1:15000');
    await expect(openTraceStream(15_000, {})).rejects.toThrow('failed to open trace stream: ');
    nock(ADMIN).get('/config_dump').reply(200, 'not json');
    await expect(fetchAdminJson(15_000, '/config_dump')).rejects.toThrow('failed to read /config_dump');
  });
});

function* brokenStream(): Generator<string> {
  yield 'data: {"n":1}\n\ndata: {"n"';
  throw new Error('socket hang up');
}
