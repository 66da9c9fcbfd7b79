import { connect } from 'node:net';
import { describe, expect, it } from 'vitest';
import { get, policy, raw, simpleSetup, startDataPlane, startTcp, startUpstream } from '../support/data-plane.ts';
import { manualClock, type ManualClock } from '../trace/manual-clock.ts';

/** A manual clock that says whether a task waits for so many milliseconds. */
function observedClock(): ManualClock & { readonly waiting: (delay: number) => boolean } {
  const clock = manualClock();
  const delays: number[] = [];
  const done = (delay: number): void => {
    const index = delays.indexOf(delay);
    if (index >= 0) delays.splice(index, 1);
  };
  return {
    ...clock,
    waiting: (delay) => delays.includes(delay),
    after: (delay, task) => {
      delays.push(delay);
      const stop = clock.after(delay, () => {
        done(delay);
        task();
      });
      return () => {
        done(delay);
        stop();
      };
    },
  };
}

/** Answers the first so many requests with 503. */
function flaky(failures: number): Parameters<typeof startUpstream>[0] {
  let seen = 0;
  return (_, response) => {
    seen += 1;
    response.statusCode = seen > failures ? 200 : 503;
    response.end(`answer ${seen}`);
  };
}

const head = (framing: string): string => `POST / HTTP/1.1\r\nHost: a\r\nConnection: close\r\n${framing}\r\n\r\n`;

const retryOf = (retry: object, more: object = {}): object => policy('HTTPRoute', { traffic: { retry, ...more } });

function service(): object {
  return {
    apiVersion: 'v1',
    kind: 'Service',
    metadata: { name: 'web' },
    spec: { ports: [{ name: 'http', port: 80 }] },
  };
}

function endpoints(name: string, port: number): object {
  return {
    apiVersion: 'discovery.k8s.io/v1',
    kind: 'EndpointSlice',
    metadata: { name, labels: { 'kubernetes.io/service-name': 'web' } },
    addressType: 'IPv4',
    endpoints: [{ addresses: ['127.0.0.1'] }],
    ports: [{ name: 'http', port }],
  };
}

describe('a request that is sent again', () => {
  it('carries the same body, and from the second attempt on its number (RETRY-006)', async () => {
    await using upstream = await startUpstream(flaky(2));
    const retry = retryOf({ codes: [503], attempts: 5 });
    await using plane = await startDataPlane((port) => [...simpleSetup(port, upstream.port), retry]);
    const answer = await raw(
      plane.port,
      'POST /x HTTP/1.1\r\nHost: a\r\nContent-Length: 5\r\nConnection: close\r\n\r\nhello',
    );
    expect(answer).toMatch(/^HTTP\/1\.1 200 OK\r\n[^]*answer 3$/);
    expect(upstream.received.map(({ url, body }) => [url, body])).toEqual(
      Array.from({ length: 3 }, () => ['/x', 'hello']),
    );
    const numbers = upstream.received.map(({ rawHeaders }) => rawHeaders[rawHeaders.indexOf('x-retry-attempt') + 1]);
    expect(numbers.slice(1)).toEqual(['1', '2']);
    expect(upstream.received[0]?.rawHeaders).not.toContain('x-retry-attempt');
  });

  it('carries the whole body in the last attempt too', async () => {
    await using upstream = await startUpstream(flaky(1));
    await using plane = await startDataPlane((port) => [
      ...simpleSetup(port, upstream.port),
      retryOf({ codes: [503], attempts: 1 }),
    ]);
    await raw(plane.port, `${head('Content-Length: 5')}hello`);
    expect(upstream.received.map(({ body }) => body)).toEqual(['hello', 'hello']);
  });

  it('keeps the last answer when no attempt is left', async () => {
    await using upstream = await startUpstream(flaky(9));
    const retry = retryOf({ codes: [503], attempts: 2 });
    await using plane = await startDataPlane((port) => [...simpleSetup(port, upstream.port), retry]);
    expect(await get(plane.port)).toMatch(/^HTTP\/1\.1 503 [^]*answer 3$/);
  });

  it('takes the retry of a rule of an HTTPRoute before the one of a policy', async () => {
    await using upstream = await startUpstream(flaky(9));
    await using plane = await startDataPlane((port) => [
      ...simpleSetup(port, upstream.port, { rule: { retry: { codes: [503], attempts: 3 } } }),
      retryOf({ codes: [500] }),
    ]);
    expect(await get(plane.port)).toMatch(/^HTTP\/1\.1 503 [^]*answer 4$/);
  });

  it('meets the policies of the backend again, and those of the route only once', async () => {
    await using upstream = await startUpstream(flaky(1));
    const headerModifiers = { request: { add: [{ name: 'x-added', value: 'once' }] } };
    await using plane = await startDataPlane((port) => [
      ...simpleSetup(port, upstream.port),
      retryOf({ codes: [503] }),
      policy('ProxyBackend', { backend: { transformation: { request: { add: [{ name: 'x-n', value: '"1"' }] } } } }),
      policy('Gateway', { traffic: { headerModifiers } }, 'headers'),
    ]);
    expect(await get(plane.port)).toMatch(/answer 2$/);
    for (const { rawHeaders } of upstream.received) {
      expect(rawHeaders.filter((name) => name === 'x-added' || name === 'x-n')).toHaveLength(2);
    }
  });

  it('goes to an endpoint that is chosen for the attempt', async () => {
    await using first = await startUpstream(flaky(9));
    await using second = await startUpstream();
    // One draw for the backend, then one for each attempt.
    const draws = [0, 0, 0.9];
    await using plane = await startDataPlane(
      (port) => [
        ...simpleSetup(port, 1, { rule: { backendRefs: [{ name: 'web', port: 80 }] } }),
        service(),
        endpoints('one', first.port),
        endpoints('two', second.port),
        retryOf({ codes: [503] }),
      ],
      { random: () => draws.shift() ?? 0 },
    );
    expect(await get(plane.port)).toMatch(/hello$/);
    expect([first.received.length, second.received.length]).toEqual([1, 1]);
  });

  it('is sent again after a connection broke, and not after an answer nobody asked to retry', async () => {
    let connections = 0;
    await using peer = await startTcp((socket) => {
      connections += 1;
      if (connections === 1) socket.once('data', () => socket.resetAndDestroy());
      else socket.once('data', () => socket.end('HTTP/1.1 500 Bad\r\nContent-Length: 0\r\nConnection: close\r\n\r\n'));
    });
    await using plane = await startDataPlane((port) => [
      ...simpleSetup(port, peer.port),
      retryOf({ codes: [503], attempts: 5 }),
    ]);
    expect(await get(plane.port)).toMatch(/^HTTP\/1\.1 500 /);
    expect(connections).toBe(2);
  });

  it('is sent once when its body is larger than what is kept', async () => {
    await using upstream = await startUpstream(flaky(1));
    await using plane = await startDataPlane((port) => [
      ...simpleSetup(port, upstream.port),
      retryOf({ codes: [503] }),
    ]);
    const body = 'x'.repeat(70_000);
    expect(await raw(plane.port, `${head('Content-Length: 70000')}${body}`)).toMatch(/^HTTP\/1\.1 503 [^]*answer 1$/);
    await raw(plane.port, `${head('Transfer-Encoding: chunked')}11170\r\n${body}\r\n0\r\n\r\n`);
    expect(upstream.received.map((request) => request.body.length)).toEqual([70_000, 70_000]);
  });

  it('is not sent again when the answer came before the whole request', async () => {
    const heads: string[] = [];
    await using peer = await startTcp((socket) => {
      socket.once('data', (bytes) => {
        heads.push(bytes.toString('latin1'));
        socket.write('HTTP/1.1 503 Early\r\nContent-Length: 5\r\n\r\nearly');
      });
    });
    await using plane = await startDataPlane((port) => [...simpleSetup(port, peer.port), retryOf({ codes: [503] })]);
    const answer = raw(plane.port, 'POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 9\r\nConnection: close\r\n\r\nhalf');
    expect(await answer).toMatch(/^HTTP\/1\.1 503 [^]*early$/);
    expect(heads).toHaveLength(1);
  });
});

describe('the time between attempts', () => {
  it('is backoff, and counts towards timeouts.request (TRAFFIC-004)', async () => {
    const clock = observedClock();
    await using upstream = await startUpstream(flaky(9));
    const retry = retryOf({ codes: [503], attempts: 9, backoff: '1s' }, { timeouts: { request: '2500ms' } });
    await using plane = await startDataPlane((port) => [...simpleSetup(port, upstream.port), retry], { clock });
    const answer = get(plane.port);
    for (let attempt = 1; attempt <= 3; attempt += 1) {
      await expect.poll(() => upstream.received.length).toBe(attempt);
      await expect.poll(() => clock.waiting(1000)).toBe(true);
      if (attempt < 3) clock.advance(1000);
    }
    clock.advance(500);
    expect(await answer).toMatch(/^HTTP\/1\.1 504 [^]*request timeout/);
    expect(upstream.received).toHaveLength(3);
  });

  it('ends at once when the client goes', async () => {
    const clock = observedClock();
    await using upstream = await startUpstream(flaky(9));
    const retry = retryOf({ codes: [503], attempts: 9, backoff: '1h' });
    await using plane = await startDataPlane((port) => [...simpleSetup(port, upstream.port), retry], { clock });
    const client = connect(plane.port, '127.0.0.1', () => client.write('GET / HTTP/1.1\r\nHost: a\r\n\r\n'));
    await expect.poll(() => clock.waiting(3_600_000)).toBe(true);
    client.destroy();
    await expect.poll(() => clock.waiting(3_600_000)).toBe(false);
    expect(upstream.received).toHaveLength(1);
  });
});
