import { describe, expect, it } from 'vitest';
import { HeaderMap } from '../../base/headers.ts';
import { get, policy, raw, simpleSetup, startDataPlane, startTcp, startUpstream } from '../support/data-plane.ts';
import { manualClock } from '../trace/manual-clock.ts';

describe('a request on its way to the upstream', () => {
  it('keeps the target byte for byte and fields in their order, and drops what is hop by hop', async () => {
    await using upstream = await startUpstream();
    await using plane = await startDataPlane((port) => simpleSetup(port, upstream.port));
    const answer = await get(plane.port, '/a/../b%2F%zz//?q=1&q=2', [
      'Host: Example.Test:81',
      'X-CaSe: One',
      'x-case: Two',
      'Keep-Alive: timeout=9',
      'TE: trailers',
      'Proxy-Connection: x',
      'X-Named: gone',
      'Connection: X-Named',
    ]);
    expect(answer).toMatch(/^HTTP\/1\.1 200 OK\r\n/);
    expect(upstream.received[0]?.url).toBe('/a/../b%2F%zz//?q=1&q=2');
    // HOST-008: the Host of an IP backend is the client's own.
    expect([...HeaderMap.fromRaw(upstream.received[0]?.rawHeaders ?? [])]).toEqual([
      ['host', 'Example.Test:81'],
      ['connection', 'keep-alive'],
      ['x-case', 'One'],
      ['x-case', 'Two'],
      ['te', 'trailers'],
    ]);
  });

  it('gets its body whole, with a length or in chunks, and the trailers of the answer', async () => {
    await using upstream = await startUpstream((_, response) => {
      response.writeHead(200, { Trailer: 'X-Sum' });
      response.write('part');
      response.addTrailers({ 'X-Sum': '4' });
      response.end();
    });
    await using plane = await startDataPlane((port) => simpleSetup(port, upstream.port));
    const chunked = 'Transfer-Encoding: chunked\r\nConnection: close\r\n\r\n3\r\nabc\r\n2\r\nde\r\n0\r\n\r\n';
    const answer = await raw(plane.port, `POST / HTTP/1.1\r\nHost: a\r\n${chunked}`);
    expect(upstream.received[0]?.body).toBe('abcde');
    expect(upstream.received[0]?.rawHeaders).toContain('transfer-encoding');
    expect(answer).toMatch(/4\r\npart\r\n0\r\nX-Sum: 4\r\n\r\n$/);
    await raw(plane.port, 'POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 3\r\nConnection: close\r\n\r\nxyz');
    expect(upstream.received[1]?.body).toBe('xyz');
    expect(upstream.received[1]?.rawHeaders).not.toContain('transfer-encoding');
  });

  it('reaches a backend on a Unix socket', async () => {
    const path = `/tmp/refproxy-test-${process.pid}.sock`;
    const { createServer } = await import('node:http');
    const server = createServer((request, response) => response.end(`unix ${request.headers.host}`)).listen(path);
    await using plane = await startDataPlane((port) => simpleSetup(port, path));
    expect(await get(plane.port)).toMatch(/unix example\.test$/);
    server.close();
    server.closeAllConnections();
  });
});

describe('a request that ends at the proxy', () => {
  it.each([
    [
      'no listener for the host',
      { gateway: { listeners: [{ name: 'l', port: 1, protocol: 'HTTP', hostname: 'other.test' }] } },
      '404',
      'listener not found',
    ],
    ['no route', { rule: { matches: [{ path: { type: 'Exact', value: '/only' } }] } }, '404', 'route not found'],
    ['no backend', { rule: { backendRefs: [] } }, '500', 'no valid backends'],
    [
      'an unknown backend',
      { rule: { backendRefs: [{ group: 'proxy.example', kind: 'ProxyBackend', name: 'none' }] } },
      '500',
      'backend does not exist',
    ],
    ['an unknown service', { rule: { backendRefs: [{ name: 'none', port: 80 }] } }, '500', 'service not found'],
  ])('%s', async (_, more, status, text) => {
    await using plane = await startDataPlane((port) => {
      const listeners =
        'gateway' in more ? { gateway: { listeners: more.gateway.listeners.map((l) => ({ ...l, port })) } } : {};
      return simpleSetup(port, 9, { ...more, ...listeners });
    });
    const answer = await get(plane.port);
    expect(answer).toMatch(new RegExp(`^HTTP/1.1 ${status} `));
    expect(answer).toMatch(/content-type: text\/plain\r\n/);
    expect(answer.endsWith(text)).toBe(true);
  });

  it('answers CONNECT 405 (CONNECT-007)', async () => {
    await using plane = await startDataPlane((port) => simpleSetup(port, 9));
    const answer = await raw(plane.port, 'CONNECT example.test:443 HTTP/1.1\r\nHost: example.test:443\r\n\r\n');
    expect(answer).toMatch(/^HTTP\/1\.1 405 .*method not allowed$/s);
  });

  it('answers 503 when the upstream refuses, and reports the error in the trace (TRACE-090)', async () => {
    await using plane = await startDataPlane((port) => simpleSetup(port, 9));
    const trace = plane.trace();
    expect(await get(plane.port)).toMatch(/^HTTP\/1\.1 503 .*\r\n\r\nupstream call failed$/s);
    expect(JSON.stringify(plane.logged)).toContain('ECONNREFUSED');
    const types = (await trace).map(({ message }) => message.type);
    expect(types.slice(-4)).toEqual(['backendCallStart', 'backendCallResult', 'responseSnapshot', 'requestFinished']);
    const result = (await trace).find(({ message }) => message.type === 'backendCallResult');
    expect(JSON.stringify(result?.message)).toMatch(/"status":null,"error":"[^"]*ECONNREFUSED/);
  });
});

describe('the trace of a request', () => {
  it('tells of each field of the effective policy which resource it comes from', async () => {
    await using upstream = await startUpstream();
    await using plane = await startDataPlane((port) => [
      ...simpleSetup(port, upstream.port),
      policy('Gateway', requestLimit('9s')),
      policy('HTTPRoute', requestLimit('3s')),
    ]);
    const trace = plane.trace();
    await get(plane.port);
    const selections = (await trace).flatMap(({ message }) => (message.type === 'policySelection' ? [message] : []));
    expect(selections.map(({ phase, sources }) => [phase, sources])).toEqual([
      ['gateway', {}],
      ['route', { timeouts: [{ kind: 'ProxyPolicy', namespace: 'default', name: 'httproute', level: 'route' }] }],
      ['backend', {}],
    ]);
  });

  it('has every row of the table in its order', async () => {
    await using upstream = await startUpstream();
    await using plane = await startDataPlane((port) => simpleSetup(port, upstream.port));
    const trace = plane.trace();
    await raw(plane.port, 'POST /x HTTP/1.1\r\nHost: a:80\r\nContent-Length: 2\r\nConnection: close\r\n\r\nhi');
    const rows = (await trace).map(({ message: { type, ...rest } }) =>
      'stage' in rest ? `${type} ${rest.stage}` : 'phase' in rest ? `${type} ${rest.phase}` : type,
    );
    expect(rows).toEqual([
      'requestStarted',
      'requestSnapshot initial request',
      'policySelection gateway',
      'requestSnapshot gateway policies',
      'routeSelection',
      'policySelection route',
      'requestSnapshot route policies',
      'policySelection backend',
      'requestSnapshot final request',
      'backendCallStart',
      'bodySnapshot final request',
      'backendCallResult',
      'responseSnapshot raw response',
      'responseSnapshot backend response ready',
      'responseSnapshot final response',
      'bodySnapshot response',
      'requestFinished',
    ]);
  });

  it('has no body snapshot without a body (TRACE-049, TRACE-055)', async () => {
    await using upstream = await startUpstream((_, response) => response.writeHead(204).end());
    await using plane = await startDataPlane((port) => simpleSetup(port, upstream.port));
    const trace = plane.trace();
    await get(plane.port);
    expect((await trace).filter(({ message }) => message.type === 'bodySnapshot')).toEqual([]);
  });
});

describe('policies of three phases', () => {
  it('act in the order of the table, and the response halves in theirs', async () => {
    await using upstream = await startUpstream((_, response) => response.setHeader('x-way', 'up').end());
    await using plane = await startDataPlane((port) => [
      ...simpleSetup(port, upstream.port),
      policy('Gateway', { traffic: { phase: 'PreRouting', transformation: append('g') } }),
      policy('HTTPRoute', { traffic: { transformation: append('r') } }),
      policy('ProxyBackend', { backend: { transformation: append('b') } }),
    ]);
    const answer = await get(plane.port);
    expect(upstream.received[0]?.rawHeaders.slice(-2)).toEqual(['x-way', 'grb']);
    expect(answer).toMatch(/x-way: uprbg\r\n/);
  });
});

describe('timeouts', () => {
  it('timeouts.request answers 504 before the head came (TRAFFIC-004)', async () => {
    const clock = manualClock();
    const reached = Promise.withResolvers<void>();
    await using upstream = await hanging('before')(reached.resolve);
    const timeouts = policy('HTTPRoute', { traffic: { timeouts: { request: '2s' } } });
    await using plane = await startDataPlane((port) => [...simpleSetup(port, upstream.port), timeouts], { clock });
    const answer = get(plane.port);
    await reached.promise;
    clock.advance(2000);
    expect(await answer).toMatch(/^HTTP\/1\.1 504 .*request timeout/s);
  });

  it('timeouts.request cuts a body that is too slow (TRAFFIC-005)', async () => {
    const clock = manualClock();
    await using upstream = await hanging('after')(() => {});
    const timeouts = policy('HTTPRoute', { traffic: { timeouts: { request: '2s' } } });
    await using plane = await startDataPlane((port) => [...simpleSetup(port, upstream.port), timeouts], { clock });
    const { connect } = await import('node:net');
    const text = await new Promise<string>((resolve) => {
      let seen = '';
      const socket = connect(plane.port, '127.0.0.1', () => socket.write('GET / HTTP/1.1\r\nHost: a\r\n\r\n'));
      socket.on('data', (chunk) => {
        seen += chunk.toString('latin1');
        if (seen.endsWith('half')) clock.advance(2000);
      });
      socket
        .on('error', () => {})
        .on('close', () => {
          resolve(seen);
        });
    });
    expect(text).toMatch(/^HTTP\/1\.1 200 OK.*half$/s);
  });

  it('backend http.requestTimeout answers 504 (BHTTP-007)', async () => {
    const clock = manualClock();
    const reached = Promise.withResolvers<void>();
    await using upstream = await hanging('before')(reached.resolve);
    const timeout = policy('ProxyBackend', { backend: { http: { requestTimeout: '1s' } } });
    await using plane = await startDataPlane((port) => [...simpleSetup(port, upstream.port), timeout], { clock });
    const answer = get(plane.port);
    await reached.promise;
    clock.advance(1000);
    expect(await answer).toMatch(/^HTTP\/1\.1 504 .*upstream call timeout/s);
  });

  it('a client that goes away takes its upstream call with it', async () => {
    const cut = Promise.withResolvers<void>();
    const reached = Promise.withResolvers<void>();
    await using upstream = await startTcp((socket) => {
      socket.once('data', () => {
        reached.resolve();
      });
      socket.on('close', () => {
        cut.resolve();
      });
    });
    await using plane = await startDataPlane((port) => simpleSetup(port, upstream.port));
    const { connect } = await import('node:net');
    const client = connect(plane.port, '127.0.0.1', () => client.write('GET / HTTP/1.1\r\nHost: a\r\n\r\n'));
    await reached.promise;
    client.destroy();
    await cut.promise;
    expect(plane.logged.filter(({ message }) => message !== 'answer cut')).toEqual([]);
  });
});

/** An upstream that never completes its answer. */
const hanging = (when: 'before' | 'after') => (reached: () => void) =>
  startTcp((socket) => {
    socket.once('data', () => {
      if (when === 'after') socket.write('HTTP/1.1 200 OK\r\ncontent-length: 10\r\n\r\nhalf');
      reached();
    });
  });

/** Appends a word to a header, on the way there and on the way back. */
const append = (word: string) => ({
  request: { set: [{ name: 'x-way', value: `default(request.headers["x-way"], "") + "${word}"` }] },
  response: { set: [{ name: 'x-way', value: `response.headers["x-way"] + "${word}"` }] },
});

function requestLimit(request: string): object {
  return { traffic: { timeouts: { request } } };
}
