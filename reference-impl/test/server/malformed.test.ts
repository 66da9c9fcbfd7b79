import { Buffer } from 'node:buffer';
import { connect } from 'node:net';
import { connect as connectTls } from 'node:tls';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { certificateSecret, hasOpenssl, makeCertificate } from '../support/certificates.ts';
import {
  type DataPlane,
  policy,
  simpleSetup,
  startDataPlane,
  startUpstream,
  type Upstream,
} from '../support/data-plane.ts';
import { block, DATA, frame, HEADERS, PREFACE, PRIORITY, settings } from '../support/http2-frames.ts';

/** What is wrong, the bytes, what they are answered with (in hexadecimal where that is no text), and the reason in the log. */
type Row = readonly [what: string, sent: string | Buffer, answer: RegExp, reason: RegExp];

const CLOSED = /^$/;
const GET = 'GET / HTTP/1.1\r\nHost: a.test\r\n\r\n';
const V2 = '\r\n\r\n\0\r\nQUIT\n';

const PROXY_HEADERS: readonly Row[] = [
  ['no header', GET, CLOSED, /^PROXY header missing$/],
  ['addresses that are none', `PROXY TCP4 x y 1 2\r\n${GET}`, CLOSED, /^PROXY header malformed$/],
  ['a line without an end', `PROXY UNKNOWN ${'x'.repeat(200)}`, CLOSED, /^PROXY header malformed$/],
  ['a family of sockets without addresses', `${V2}\x21\x31\0\0${GET}`, CLOSED, /^PROXY header malformed$/],
  ['a length beyond the limit', `${V2}\x21\x11\xff\xff`, CLOSED, /^PROXY header malformed$/],
  ['a command nobody knows', `${V2}\x2f\x11\0\x0c${'\0'.repeat(12)}`, CLOSED, /^PROXY header malformed$/],
];

// A fatal alert: 0x15, the version, its length, 2 and its code.
const ALERT = /^1503..000202/;
const HELLOS: readonly Row[] = [
  ['a request in cleartext', GET, /^(?:1503..000202..)?$/, /http request/],
  ['a handshake message that is none', '\x16\x03\x01\0\x05\xff\0\0\x01\0', ALERT, /unexpected message/],
  ['a record that is too long', `\x16\x03\x01\xff\xff${'x'.repeat(400)}`, ALERT, /length too long/],
  ['a record of no type', '\x20\x03\x01\0\x05hello', ALERT, /unexpected message/],
  ['a ClientHello that is cut', '\x16\x03\x01\0\x06\x01\0\0\x02\x03\x03', ALERT, /length mismatch|decode|short/],
];

const HTTP1: readonly Row[] = [
  ['a line that is no request', 'HELLO\r\n\r\n', /^HTTP\/1.1 400 /, /method|request line|protocol/i],
  ['a preface of HTTP/2 that is none', 'PRI * HTTP/2.0\r\n\r\nXX\r\n\r\n', /^HTTP\/1.1 (?:400|505) /, /./],
  ['a name with a blank', 'GET / HTTP/1.1\r\nHost : a.test\r\n\r\n', /^HTTP\/1.1 400 /, /header token/i],
  [
    'two lengths',
    'POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\nx',
    /^HTTP\/1.1 400 /,
    /content-length/i,
  ],
  ['no Host', 'GET / HTTP/1.1\r\n\r\n', /^HTTP\/1.1 400 /, /host/i],
  ['two of Host', 'GET / HTTP/1.1\r\nHost: a\r\nHost: b\r\n\r\n', /^HTTP\/1.1 400 /, /more than one Host/],
  ['a target with a fragment', 'GET /a#b HTTP/1.1\r\nHost: a\r\n\r\n', /^HTTP\/1.1 400 /, /malformed request target/],
  [
    'a head beyond the limit',
    `GET / HTTP/1.1\r\nHost: a\r\nX: ${'x'.repeat(70_000)}`,
    /^HTTP\/1.1 431 /,
    /header overflow/i,
  ],
];

const FIELDS = [
  [':method', 'GET'],
  [':scheme', 'http'],
  [':path', '/'],
  [':authority', 'a.test'],
] as const;
/** GOAWAY with this code. */
const goaway = (code: string): RegExp => new RegExp(`0000..070000000000.{8}000000${code}`);
const http2 = (...frames: Buffer[]): Buffer => Buffer.concat([Buffer.from(PREFACE), settings(), ...frames]);
const HTTP2: readonly Row[] = [
  [
    'no SETTINGS behind the preface',
    Buffer.concat([Buffer.from(PREFACE), frame(6, 0, 0, '12345678')]),
    goaway('01'),
    /./,
  ],
  ['DATA on stream 0', http2(frame(DATA, 0, 0, 'x')), goaway('01'), /protocol error/i],
  [
    'a header block that is none',
    http2(frame(HEADERS, 5, 1, '\x40\xff\xff\xff\xff\xff')),
    goaway('09'),
    /protocol error/i,
  ],
  ['SETTINGS of five bytes', http2(frame(4, 0, 0, '\0\x03\0\0\0')), goaway('06'), /frame size|protocol/i],
  ['PRIORITY on stream 0', http2(frame(PRIORITY, 0, 0, '\0\0\0\0\x0f')), goaway('01'), /PRIORITY/],
  [
    'DATA behind its stream',
    http2(frame(HEADERS, 5, 1, block(...FIELDS)), frame(DATA, 0, 1, 'x')),
    goaway('05'),
    /behind the end/,
  ],
];

const CONNECTS: readonly Row[] = [
  ['without a port', 'CONNECT a.test HTTP/1.1\r\nHost: a.test\r\n\r\n', /^HTTP\/1.1 400 /, /without a port/],
  ['a port that is none', 'CONNECT a.test:x HTTP/1.1\r\nHost: a.test\r\n\r\n', /^HTTP\/1.1 400 /, /Host/],
  ['a user', 'CONNECT u@a.test:80 HTTP/1.1\r\nHost: a.test\r\n\r\n', /^HTTP\/1.1 400 /, /Host/],
  ['an address without an end', 'CONNECT [::1:80 HTTP/1.1\r\nHost: a.test\r\n\r\n', /^HTTP\/1.1 400 /, /Host/],
  ['a port of nobody', 'CONNECT a.test:1 HTTP/1.1\r\nHost: a.test\r\n\r\n', /^HTTP\/1.1 404 /, /nobody listens/],
];

describe('what cannot be read ends its connection with an error of its own protocol, is logged once, and is nobody else’s matter', () => {
  let upstream: Upstream;
  beforeAll(async () => {
    upstream = await startUpstream();
  });
  afterAll(async () => {
    await upstream[Symbol.asyncDispose]();
  });

  const start = (
    frontend: object,
    gateway: (port: number) => object = () => ({}),
    more: object[] = [],
  ): Promise<DataPlane> =>
    startDataPlane((port) => [
      ...simpleSetup(port, upstream.port, { gateway: gateway(port) }),
      policy('ProxyBackend', { backend: { http: { version: 'HTTP1' } } }),
      ...(Object.keys(frontend).length === 0 ? [] : [policy('Gateway', { frontend })]),
      ...more,
    ]);

  it.each(PROXY_HEADERS)('PROXY header: %s', async (...row) => {
    const header = 'PROXY TCP4 192.0.2.1 10.0.0.1 12345 443\r\n';
    await judge(await start({ proxyProtocol: { version: 'All' } }), row, (port) =>
      asker(connect(port, '127.0.0.1'), header),
    );
  });

  it.skipIf(!hasOpenssl).each(HELLOS)('ClientHello: %s', async (...row) => {
    const tls = { certificateRefs: [{ name: 'server' }] };
    const secret = certificateSecret('server', makeCertificate('server', { names: ['DNS:a.test'] }));
    const plane = await start({}, (port) => ({ listeners: [{ name: 'https', port, protocol: 'HTTPS', tls }] }), [
      secret,
    ]);
    await judge(plane, row, overTls, 'hex');
  });

  it.each(HTTP1)('request: %s', async (...row) => {
    await judge(await start({}), row, plainly);
  });

  it.each(HTTP2)('HTTP/2: %s', async (...row) => {
    await judge(await start({}), row, plainly, 'hex');
  });

  it.each(CONNECTS)('CONNECT: %s', async (...row) => {
    const inner = GET.replace('GET', 'CONNECT').replace(' / ', ' a.test:PORT ');
    await judge(await start({ connect: { mode: 'Tunnel' } }), row, (port) =>
      asker(connect(port, '127.0.0.1'), inner.replace('PORT', String(port)), /^HTTP\/1.1 200 OK\r\n\r\n/),
    );
  });
});

/** A polite client on a connection of its own, which asks again and again. */
type Asker = () => Promise<string>;

function plainly(port: number): Asker {
  return asker(connect(port, '127.0.0.1'));
}

function overTls(port: number): Asker {
  return asker(connectTls({ port, host: '127.0.0.1', servername: 'a.test', rejectUnauthorized: false }));
}

/** One that begins before the bytes come and goes on after them, one that comes later, and what the bytes themselves are told. */
async function judge(
  running: DataPlane,
  [, sent, answer, reason]: Row,
  open: (port: number) => Asker,
  encoding: 'latin1' | 'hex' = 'latin1',
): Promise<void> {
  await using plane = running;
  const before = open(plane.port);
  expect(await before()).toMatch(/HTTP\/1.1 200 /);
  expect(await told(plane.port, sent, encoding)).toMatch(answer);
  expect(await before()).toMatch(/HTTP\/1.1 200 /);
  expect(await open(plane.port)()).toMatch(/HTTP\/1.1 200 /);
  expect(
    [...plane.told, ...plane.logged].map(({ fields }) => fields?.['reason']).filter((each) => each !== undefined),
  ).toEqual([expect.stringMatching(reason)]);
}

/** All that comes back until the connection ends. */
function told(port: number, bytes: string | Buffer, encoding: 'latin1' | 'hex'): Promise<string> {
  return new Promise((resolve) => {
    let answer = '';
    const socket = connect(port, '127.0.0.1', () => socket.write(bytes, 'latin1'));
    socket.setEncoding(encoding).on('data', (chunk: string) => {
      answer += chunk;
    });
    socket.on('error', () => {
      // A reset is an end too.
    });
    socket.once('close', () => {
      resolve(answer);
    });
  });
}

/** Says its greeting first, and waits for the answer to that where there is one. */
function asker(socket: ReturnType<typeof connect>, greeting = '', welcome?: RegExp): Asker {
  socket.setEncoding('latin1').on('error', () => {});
  const answered = (pattern: RegExp): Promise<string> =>
    new Promise((resolve, reject) => {
      let text = '';
      const take = (chunk: string): void => {
        text += chunk;
        if (!pattern.test(text)) return;
        socket.off('data', take).off('close', gone);
        resolve(text);
      };
      const gone = (): void => {
        reject(new Error(`closed behind ${JSON.stringify(text)}`));
      };
      socket.on('data', take).once('close', gone);
    });
  let greeted = false;
  return async () => {
    if (!greeted) socket.write(greeting);
    if (!greeted && welcome !== undefined) await answered(welcome);
    greeted = true;
    socket.write(GET);
    return answered(/hello/);
  };
}
