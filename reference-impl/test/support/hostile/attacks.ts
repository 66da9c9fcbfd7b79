import { Buffer } from 'node:buffer';
import {
  block,
  CONTINUATION,
  DATA,
  END_HEADERS,
  END_STREAM,
  frame,
  HEADERS,
  number,
  PING,
  RST_STREAM,
  settings,
  WINDOW_UPDATE,
} from '../http2-frames.ts';
import type { Crowd } from './crowd.ts';

/** Where the proxy listens: for HTTP, for HTTP behind a PROXY header, for HTTP over TLS. */
export interface Ports {
  readonly plain: number;
  readonly proxied: number;
  readonly secure: number;
}
/** Resolves when it is in place. */
export type Attack = (crowd: Crowd, ports: Ports) => Promise<unknown>;

const HEAD = 'GET / HTTP/1.1\r\nHost: a.test\r\n';
const REQUEST = block([':method', 'GET'], [':scheme', 'http'], [':path', '/'], [':authority', 'a.test']);
const POST = 'POST / HTTP/1.1\r\nHost: a.test\r\nContent-Length: 100000\r\n\r\n';
/** Half of a ClientHello: a record of 512 bytes that says no more than its beginning. */
const HALF_HELLO = Buffer.from('16030102000100\x01\xfc0303'.replace('\x01', '01'), 'hex');

export const ATTACKS: readonly (readonly [string, Attack])[] = [
  ['heads that come byte by byte', ({ dripping }, { plain }) => dripping(300, plain, HEAD)],
  [
    'bodies that come byte by byte',
    ({ dripping }, { plain }) => dripping(300, plain, `${POST}${'x'.repeat(200)}`, POST.length),
  ],
  [
    'connections that are half closed in the middle of a head',
    ({ saying }, { plain }) => saying(500, plain, HEAD, { end: true }),
  ],
  [
    'requests whose answers nobody reads',
    ({ saying }, { plain }) => saying(20, plain, `${HEAD.replace('/ ', '/big ')}\r\n`, { paused: true }),
  ],
  [
    'a thousand requests in one write, and nobody who reads',
    ({ saying }, { plain }) => saying(20, plain, `${HEAD}\r\n`.repeat(1000), { paused: true }),
  ],
  ['resets at every byte of an exchange', ({ resetting }, { plain }) => resetting(plain, `${HEAD}\r\n`)],
  ['three thousand idle connections', ({ saying }, { plain }) => saying(3000, plain, '')],
  ['heads that are too large', ({ saying }, { plain }) => saying(200, plain, `${HEAD}X: ${'x'.repeat(1_000_000)}`)],
  [
    'heads with too many fields',
    ({ saying }, { plain }) => saying(200, plain, `${HEAD}${'x: y\r\n'.repeat(10_000)}\r\n`),
  ],
  [
    'chunks of one byte',
    ({ saying }, { plain }) =>
      saying(
        50,
        plain,
        `${POST.replace('Content-Length: 100000', 'Transfer-Encoding: chunked')}${'1\r\nx\r\n'.repeat(20_000)}`,
      ),
  ],
  [
    'HTTP/2: rapid reset',
    ({ framing }, { plain }) =>
      framing(
        20,
        plain,
        streams(3000, (id) => [
          frame(HEADERS, END_STREAM | END_HEADERS, id, REQUEST),
          frame(RST_STREAM, 0, id, number(8)),
        ]),
      ),
  ],
  [
    'HTTP/2: header blocks without end',
    ({ framing }, { plain }) =>
      framing(20, plain, [
        frame(HEADERS, END_STREAM, 1, REQUEST),
        ...times(2000, frame(CONTINUATION, 0, 1, block(['x', 'y'.repeat(1000)]))),
      ]),
  ],
  [
    'HTTP/2: empty CONTINUATION frames',
    ({ framing }, { plain }) =>
      framing(20, plain, [frame(HEADERS, END_STREAM, 1, REQUEST), ...times(50_000, frame(CONTINUATION, 0, 1))]),
  ],
  [
    'HTTP/2: one field of the table, thousands of times',
    ({ framing }, { plain }) =>
      framing(
        20,
        plain,
        streams(200, (id) => [frame(HEADERS, END_STREAM | END_HEADERS, id, bomb(id))]),
      ),
  ],
  ['HTTP/2: SETTINGS', ({ framing }, { plain }) => framing(20, plain, times(50_000, settings([4, 65_535])))],
  ['HTTP/2: PING', ({ framing }, { plain }) => framing(20, plain, times(50_000, frame(PING, 0, 0, '12345678')))],
  [
    'HTTP/2: WINDOW_UPDATE',
    ({ framing }, { plain }) =>
      framing(20, plain, [
        frame(HEADERS, END_HEADERS, 1, REQUEST),
        ...times(50_000, frame(WINDOW_UPDATE, 0, 1, number(1))),
      ]),
  ],
  [
    'HTTP/2: empty DATA',
    ({ framing }, { plain }) =>
      framing(20, plain, [frame(HEADERS, END_HEADERS, 1, REQUEST), ...times(50_000, frame(DATA, 0, 1))]),
  ],
  [
    'HTTP/2: streams that stay open, with answers that have no room',
    ({ framing }, { plain }) =>
      framing(20, plain, [
        settings([4, 0]),
        ...streams(250, (id) => [frame(HEADERS, END_STREAM | END_HEADERS, id, REQUEST)]),
      ]),
  ],
  [
    'PROXY headers that come byte by byte',
    ({ dripping }, { proxied }) => dripping(300, proxied, 'PROXY TCP4 192.0.2.1 10.0.0.1 12345 443'),
  ],
  ['PROXY headers that never come', ({ saying }, { proxied }) => saying(500, proxied, '')],
  ['half a handshake', ({ saying }, { secure }) => saying(500, secure, HALF_HELLO)],
  ['what is no handshake', ({ saying }, { secure }) => saying(500, secure, `${HEAD}\r\n`)],
];

function times(count: number, bytes: Buffer): readonly Buffer[] {
  return Array.from({ length: count }, () => bytes);
}

function streams(count: number, describeOne: (id: number) => readonly Buffer[]): readonly Buffer[] {
  return Array.from({ length: count }, (_, index) => describeOne(2 * index + 1)).flat();
}

/** The first puts a field of 4,000 bytes into the table, the others name it 4,000 times each. */
function bomb(id: number): Buffer {
  if (id > 1) return Buffer.concat([REQUEST, Buffer.alloc(4000, 0xbe)]);
  const value = Buffer.alloc(4000, 'y');
  return Buffer.concat([REQUEST, Buffer.from([0x40, 1, 120, 127, 0xa1, 0x1e]), value]);
}
