import { Buffer } from 'node:buffer';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { connect, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { certificateSecret, hasOpenssl, makeCertificate } from '../support/certificates.ts';
import { get, policy, simpleSetup, startUpstream, type Upstream } from '../support/data-plane.ts';
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
  PREFACE,
  RST_STREAM,
  settings,
  WINDOW_UPDATE,
} from '../support/http2-frames.ts';
import { documents, follow, freePort, MAIN, type Process } from '../support/process.ts';

/**
 * Megabytes of the heap of the program: with more to keep it ends, and everything behind that is red. A million chunks of one byte that nobody
 * has read yet, which is all of them on a slow machine, take about 150.
 */
const HEAP = 256;
/** Megabytes that the whole process may grow by under an attack, what waits to be collected included. */
const ROOM = 400;
/** With `POLITE_REQUESTS=1000` each attack also tells how long a polite client waits, alone and beside it; nothing is asserted of that. */
const { POLITE_REQUESTS: ASKED } = process.env;
const POLITE_REQUESTS = Number(ASKED ?? 40);

interface Ports {
  readonly plain: number;
  readonly proxied: number;
  readonly secure: number;
}
/** Resolves when it is in place; everything it opened goes when the test is over. */
type Attack = (crowd: Crowd, ports: Ports) => Promise<unknown>;

const HEAD = 'GET / HTTP/1.1\r\nHost: a.test\r\n';
const REQUEST = block([':method', 'GET'], [':scheme', 'http'], [':path', '/'], [':authority', 'a.test']);
const POST = 'POST / HTTP/1.1\r\nHost: a.test\r\nContent-Length: 100000\r\n\r\n';
/** Half of a ClientHello: a record of 512 bytes that says no more than its beginning. */
const HALF_HELLO = Buffer.from('16030102000100\x01\xfc0303'.replace('\x01', '01'), 'hex');

const ATTACKS: readonly (readonly [string, Attack])[] = [
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

if (!existsSync('/proc/self/status')) console.log('the memory of the program is not measured: there is no /proc here');

describe.skipIf(!hasOpenssl)('a polite client is served beside', () => {
  const folder = mkdtempSync(path.join(tmpdir(), 'refproxy-hostile-'));
  let upstream: Upstream;
  let ports: Ports;
  let proxy: Process;

  beforeAll(async () => {
    upstream = await startUpstream((request, response) => {
      response.end(request.url === '/big' ? Buffer.alloc(20_000_000, 'x') : 'hello');
    });
    ports = { plain: await freePort(), proxied: await freePort(), secure: await freePort() };
    writeFileSync(path.join(folder, 'a.json'), documents(resources(ports, upstream.port)));
    // The time for the end is longer than a test may take: whoever is forgotten is seen.
    const flags = ['--config', folder, '--admin-port', '0', '--drain', '60s'];
    const args = [`--max-old-space-size=${HEAP}`, MAIN, 'serve', ...flags];
    proxy = follow(spawn(process.execPath, args, { stdio: ['ignore', 'ignore', 'pipe'] }));
    await proxy.says(/^refproxy ready: /m);
  });
  afterAll(async () => {
    proxy.child.kill('SIGKILL');
    await proxy.exit;
    await upstream[Symbol.asyncDispose]();
    rmSync(folder, { recursive: true });
  });

  it.each(ATTACKS)(
    '%s',
    async (name, attack) => {
      using crowd = gather();
      const alone = await politely(ports.plain);
      const before = residentMegabytes(proxy);
      await attack(crowd, ports);
      const beside = await politely(ports.plain);
      expect(beside.answers).toEqual(Array.from({ length: POLITE_REQUESTS }, () => 'HTTP/1.1 200 OK'));
      expect(residentMegabytes(proxy) - before).toBeLessThan(ROOM);
      if (ASKED !== undefined) console.log(waits(name, alone.took, beside.took));
    },
    120_000 + POLITE_REQUESTS * 100,
  );

  it('all of them, to the end: the process stops as it should', async () => {
    proxy.child.kill('SIGTERM');
    expect(await proxy.exit).toBe(0);
  }, 40_000);
});

function resources({ plain, proxied, secure }: Ports, upstream: number): object[] {
  const server = makeCertificate('server', { names: ['DNS:a.test'] });
  const listeners = [
    { name: 'plain', port: plain, protocol: 'HTTP' },
    { name: 'proxied', port: proxied, protocol: 'HTTP' },
    { name: 'secure', port: secure, protocol: 'HTTPS', tls: { certificateRefs: [{ name: 'server' }] } },
  ];
  const targetRefs = [{ group: 'gateway.networking.k8s.io', kind: 'Gateway', name: 'gw', port: proxied }];
  return [
    ...simpleSetup(plain, upstream, { gateway: { listeners } }),
    policy('ProxyBackend', { backend: { http: { version: 'HTTP1' } } }),
    policy('Gateway', { targetRefs, frontend: { proxyProtocol: { version: 'All' } } }),
    certificateSecret('server', server),
  ];
}

/** One request after the other, each over a connection of its own: the first line of each answer, and the milliseconds it took. */
async function politely(port: number): Promise<{ readonly answers: string[]; readonly took: number[] }> {
  const answers: string[] = [];
  const took: number[] = [];
  for (let asked = 0; asked < POLITE_REQUESTS; asked += 1) {
    const began = performance.now();
    const answer = await get(port);
    took.push(performance.now() - began);
    answers.push(answer.slice(0, answer.indexOf('\r')));
  }
  return { answers, took };
}

function waits(name: string, alone: readonly number[], beside: readonly number[]): string {
  const [idle, under] = [p99(alone), p99(beside)];
  return `${name}: p99 ${idle.toFixed(1)} ms alone, ${under.toFixed(1)} ms beside it, ${(under / idle).toFixed(1)} times`;
}

function p99(took: readonly number[]): number {
  return took.toSorted((a, b) => a - b)[Math.floor(took.length * 0.99)] ?? Number.NaN;
}

/** 0 where the system does not tell. */
function residentMegabytes({ child }: Process): number {
  if (!existsSync('/proc/self/status')) return 0;
  const [, kilobytes = '0'] = /^VmRSS:\s+(\d+)/m.exec(readFileSync(`/proc/${child.pid}/status`, 'utf8')) ?? [];
  return Number(kilobytes) / 1024;
}

interface Crowd extends Disposable {
  /** Connections that say these bytes and nothing more. */
  readonly saying: (count: number, port: number, bytes: Buffer | string, how?: How) => Promise<unknown>;
  /** Connections that say the first bytes at once and the others one by one. */
  readonly dripping: (count: number, port: number, text: string, atOnce?: number) => Promise<unknown>;
  /** Connections of HTTP/2 that send these frames and read nothing. */
  readonly framing: (count: number, port: number, frames: readonly Buffer[]) => Promise<unknown>;
  /** One connection for each byte of the text and as many of the answer, reset there. */
  readonly resetting: (port: number, text: string) => Promise<unknown>;
}

interface How {
  /** Closes its writing half. */
  readonly end?: true;
  /** Reads nothing. */
  readonly paused?: true;
}

function gather(): Crowd {
  const sockets: Socket[] = [];
  const timers: NodeJS.Timeout[] = [];
  const open = async (port: number): Promise<Socket> => {
    const socket = connect({ port, host: '127.0.0.1', noDelay: true, allowHalfOpen: true });
    sockets.push(socket);
    socket.on('error', () => {
      // Whoever is hostile is cut off.
    });
    await once(socket, 'connect');
    return socket;
  };
  const saying: Crowd['saying'] = (count, port, bytes, { end, paused } = {}) =>
    all(count, async () => {
      const socket = await open(port);
      if (paused === undefined) socket.resume();
      if (bytes.length > 0) socket.write(bytes);
      if (end) socket.end();
    });
  return {
    saying,
    dripping: (count, port, text, atOnce = 0) =>
      all(count, async () => {
        const socket = await open(port);
        let said = atOnce;
        socket.resume().write(text.slice(0, atOnce));
        timers.push(
          setInterval(() => {
            if (said < text.length && socket.writable) socket.write(text.charAt(said));
            said += 1;
          }, 20),
        );
      }),
    framing: (count, port, frames) => {
      const bytes = Buffer.concat([Buffer.from(PREFACE), settings(), ...frames]);
      return saying(count, port, bytes, { paused: true });
    },
    resetting: (port, text) =>
      all(text.length * 2, async (index) => {
        const socket = await open(port);
        socket.write(text.slice(0, index + 1));
        if (index >= text.length) await Promise.race([once(socket, 'readable'), once(socket, 'close')]);
        socket.read(index - text.length);
        socket.resetAndDestroy();
      }),
    [Symbol.dispose]: () => {
      for (const timer of timers) clearInterval(timer);
      for (const socket of sockets) socket.destroy();
    },
  };
}

function all(count: number, run: (index: number) => Promise<void>): Promise<unknown> {
  return Promise.all(Array.from({ length: count }, (_, index) => run(index)));
}

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
