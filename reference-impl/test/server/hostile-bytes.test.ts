import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import {
  type DataPlane,
  get,
  raw,
  simpleSetup,
  startDataPlane,
  startUpstream,
  type Upstream,
} from '../support/data-plane.ts';

/** Each is refused with a 4xx or cut, reaches no upstream, and leaves the proxy serving. */
const HOSTILE: readonly (readonly [string, string])[] = [
  ['two Content-Length', 'POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 3\r\nContent-Length: 4\r\n\r\nabcd'],
  ['a list as Content-Length', 'POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 3, 3\r\n\r\nabc'],
  ['a signed Content-Length', 'POST / HTTP/1.1\r\nHost: a\r\nContent-Length: +3\r\n\r\nabc'],
  ['a huge Content-Length', `POST / HTTP/1.1\r\nHost: a\r\nContent-Length: ${'9'.repeat(40)}\r\n\r\nabc`],
  [
    'length and chunks',
    'POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 4\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n',
  ],
  [
    'chunks and length',
    'POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\nContent-Length: 4\r\n\r\n0\r\n\r\n',
  ],
  ['an unknown coding', 'POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: xchunked\r\n\r\n0\r\n\r\n'],
  [
    'chunked twice',
    'POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n',
  ],
  [
    'chunked before another coding',
    'POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked, identity\r\n\r\n0\r\n\r\n',
  ],
  ['chunked on HTTP/1.0', 'POST / HTTP/1.0\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n'],
  ['a folded field', 'GET / HTTP/1.1\r\nHost: a\r\nX-A: b\r\n c\r\n\r\n'],
  ['space before the colon', 'GET / HTTP/1.1\r\nHost: a\r\nContent-Length : 3\r\n\r\nabc'],
  ['a bare CR in a value', 'GET / HTTP/1.1\r\nHost: a\r\nX-A: b\rX-B: c\r\n\r\n'],
  ['a NUL in a value', 'GET / HTTP/1.1\r\nHost: a\r\nX-A: b\0c\r\n\r\n'],
  ['no Host', 'GET / HTTP/1.1\r\nX-A: b\r\n\r\n'],
  ['two Hosts', 'GET / HTTP/1.1\r\nHost: a\r\nHost: b\r\n\r\n'],
  ['user information in Host', 'GET / HTTP/1.1\r\nHost: user@a\r\n\r\n'],
  ['a path in Host', 'GET / HTTP/1.1\r\nHost: a/b\r\n\r\n'],
  ['no HTTP at all', '\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03\r\n\r\n'],
  ['a space in the target', 'GET /a b HTTP/1.1\r\nHost: a\r\n\r\n'],
  ['an unknown version', 'GET / HTTP/9.9\r\nHost: a\r\n\r\n'],
  ['a head that is too large', `GET / HTTP/1.1\r\nHost: a\r\nX-A: ${'x'.repeat(100_000)}\r\n\r\n`],
  ['a target that is too long', `GET /${'x'.repeat(100_000)} HTTP/1.1\r\nHost: a\r\n\r\n`],
  [
    'more than 100 fields (FRONT-020)',
    `GET / HTTP/1.1\r\nHost: a\r\nConnection: close\r\n${'X-A: b\r\n'.repeat(110)}\r\n`,
  ],
];

describe('bytes of a hostile client', () => {
  let upstream: Upstream;
  let plane: DataPlane;
  beforeAll(async () => {
    upstream = await startUpstream();
    plane = await startDataPlane((port) => simpleSetup(port, upstream.port));
  });
  afterAll(async () => {
    await plane[Symbol.asyncDispose]();
    await upstream[Symbol.asyncDispose]();
  });

  it.each(HOSTILE)('%s', async (_, bytes) => {
    const before = upstream.received.length;
    // What follows must not be taken for a request of its own (request smuggling).
    const answer = await raw(plane.port, `${bytes}${bytes.includes('Connection: close') ? '' : SECOND}`);
    expect(answer).toMatch(/^(HTTP\/1\.1 4\d\d |$)/);
    expect(upstream.received.slice(before).filter(({ url }) => url !== '/second')).toEqual([]);
    expect(await get(plane.port)).toMatch(/^HTTP\/1\.1 200 /);
  });

  it('a bad chunk ends the request with 400', async () => {
    const head = 'POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n';
    expect(await raw(plane.port, `${head}5\r\nhello\r\nZZ\r\n`)).toMatch(/^(HTTP\/1\.1 400 |$)/);
    expect(await get(plane.port)).toMatch(/^HTTP\/1\.1 200 /);
  });
});

const SECOND = 'GET /second HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n';

it('a head that never ends is answered 408', async () => {
  await using plane = await startDataPlane((port) => simpleSetup(port, 9), {
    limits: { headTimeout: 100, checkInterval: 20 },
  });
  expect(await raw(plane.port, 'GET / HTTP/1.1\r\nHost: a\r\nX-Slow: ')).toMatch(/^HTTP\/1\.1 408 /);
});

it('ninety header fields pass (FRONT-020)', async () => {
  await using upstream = await startUpstream();
  await using plane = await startDataPlane((port) => simpleSetup(port, upstream.port));
  const fields = Array.from({ length: 90 }, (_, index) => `X-${index}: v`);
  expect(await get(plane.port, '/', ['Host: a', ...fields])).toMatch(/^HTTP\/1\.1 200 /);
});
