import { spawn, spawnSync } from 'node:child_process';
import { connect } from 'node:net';
import { text } from 'node:stream/consumers';
import { describe, expect, it, test } from 'vitest';
import { type DataPlane, policy, raw, simpleSetup, startDataPlane, startUpstream } from '../support/data-plane.ts';

const V1 = 'PROXY TCP4 192.0.2.1 10.0.0.1 12345 443\r\n';
const V2 = '\r\n\r\n\0\r\nQUIT\n\x21\x11\0\x0c\xc0\x00\x02\x02\x0a\x00\x00\x01\x30\x39\x01\xbb';
const LOCAL = '\r\n\r\n\0\r\nQUIT\n\x20\0\0\0';
const GET = 'GET / HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n';

/** Answers who it takes the client for. */
const TELLS = "source.address + ' ' + string(source.port == 12345) + ' ' + source.rawAddress";

function start(proxyProtocol: object, limits: object = {}): Promise<DataPlane> {
  return startDataPlane(
    (port) => [
      ...simpleSetup(port, 9),
      policy('Gateway', { frontend: { proxyProtocol } }),
      policy('HTTPRoute', {
        traffic: {
          directResponse: { status: 200, body: 'x' },
          transformation: { response: { set: [{ name: 'x-source', value: TELLS }] } },
        },
      }),
    ],
    { limits },
  );
}

const named = (address: string): RegExp => new RegExp(`^HTTP/1.1 200[^]*x-source: ${address} true 127.0.0.1`, 'i');
const PLAIN = /^HTTP\/1.1 200[^]*x-source: 127.0.0.1 false 127.0.0.1/i;
const CLOSED = /^$/;

describe('which headers are taken', () => {
  test.each([
    [{}, [CLOSED, named('192.0.2.2'), PLAIN, CLOSED]],
    [{ version: 'V1' }, [named('192.0.2.1'), CLOSED, CLOSED, CLOSED]],
    [{ version: 'V2', mode: 'Strict' }, [CLOSED, named('192.0.2.2'), PLAIN, CLOSED]],
    [{ version: 'All' }, [named('192.0.2.1'), named('192.0.2.2'), PLAIN, CLOSED]],
    [{ mode: 'Optional' }, [CLOSED, named('192.0.2.2'), PLAIN, PLAIN]],
    [{ version: 'All', mode: 'Optional' }, [named('192.0.2.1'), named('192.0.2.2'), PLAIN, PLAIN]],
  ])('%j', async (proxyProtocol, expected) => {
    await using plane = await start(proxyProtocol);
    const answers = await Promise.all([V1, V2, LOCAL, ''].map((header) => raw(plane.port, header + GET)));
    for (const [index, answer] of answers.entries()) expect(answer).toMatch(expected[index] ?? /never/);
  });

  test.each([
    'PROXY TCP4 x y 1 2\r\n',
    `PROXY UNKNOWN ${'x'.repeat(200)}\r\n`,
    V2.replace('\x21\x11', '\x21\x31'),
    V1 + V1,
  ])('bytes that are no header close the connection, in both modes: %j', async (header) => {
    for (const mode of ['Strict', 'Optional']) {
      await using plane = await start({ version: 'All', mode });
      expect(await raw(plane.port, header + GET)).toMatch(header === V1 + V1 ? /^HTTP\/1.1 400/ : CLOSED);
    }
  });

  it('takes a header in as many pieces as it has bytes, with the request behind it', async () => {
    await using plane = await start({ version: 'All' });
    for (const header of [V1, V2]) {
      const splits = Array.from({ length: header.length }, (_, at) => at + 1);
      const answers = await Promise.all(splits.map((at) => inTwo(plane.port, header + GET, at)));
      for (const answer of answers) expect(answer).toMatch(named('192.0.2.[12]'));
    }
  });

  it('says once what it closed connections for', async () => {
    await using plane = await start({});
    await raw(plane.port, GET);
    await raw(plane.port, V1 + GET);
    await raw(plane.port, GET);
    expect(plane.told.filter(({ message }) => message === 'connections closed').map(({ fields }) => fields)).toEqual([
      { port: plane.port, refused: 1, reason: 'PROXY header missing' },
      { port: plane.port, refused: 1, reason: 'PROXY header of another version' },
    ]);
  });
});

describe('a header that does not come', () => {
  it('closes a connection that says nothing, or drips a part of one', async () => {
    await using plane = await start({ version: 'All' }, { proxyHeaderTimeout: 60 });
    const answers = await Promise.all(['', 'PROX', V2.slice(0, 20)].map((part) => raw(plane.port, part)));
    expect(answers).toEqual(['', '', '']);
  });

  it('is no matter where it is optional, unless a part of one came', async () => {
    await using plane = await start({ version: 'All', mode: 'Optional' }, { proxyHeaderTimeout: 60, headTimeout: 120 });
    const answers = await Promise.all(['', 'PROX', V2.slice(0, 20)].map((part) => raw(plane.port, part)));
    expect(answers[0]).toContain('408 Request Timeout');
    expect(answers.slice(1)).toEqual(['', '']);
  });

  it('costs nobody else anything', async () => {
    await using plane = await start({ version: 'All' });
    const silent = Array.from({ length: 50 }, () => connect(plane.port, '127.0.0.1'));
    for (const socket of silent) socket.on('error', () => {}).write('P');
    expect(await raw(plane.port, V1 + GET)).toMatch(named('192.0.2.1'));
    for (const socket of silent) socket.resetAndDestroy();
  });
});

it('networkAuthorization judges the client that the header names', async () => {
  await using upstream = await startUpstream();
  await using plane = await startDataPlane((port) => [
    ...simpleSetup(port, upstream.port),
    policy('Gateway', {
      frontend: {
        proxyProtocol: { version: 'All', mode: 'Optional' },
        networkAuthorization: { policy: { matchExpressions: ["source.address == '192.0.2.1'"] } },
      },
    }),
  ]);
  expect(await raw(plane.port, V1 + GET)).toMatch(/^HTTP\/1.1 200/);
  expect(await raw(plane.port, V2 + GET)).toBe('');
  expect(await raw(plane.port, GET)).toBe('');
});

const hasCurl = spawnSync('curl', ['--version']).status === 0;

// Without curl there is nobody to ask.
test.skipIf(!hasCurl)('curl --haproxy-protocol is served', async () => {
  await using plane = await start({ version: 'V1' });
  expect(await curl('--haproxy-protocol', '-i', `http://127.0.0.1:${plane.port}/`)).toMatch(
    /x-source: 127.0.0.1 false/i,
  );
  expect(await curl('-i', `http://127.0.0.1:${plane.port}/`)).toBe('');
});

function curl(...args: readonly string[]): Promise<string> {
  return text(spawn('curl', ['-s', ...args]).stdout);
}

/** Sends the second piece when the proxy has had a chance to look at the first. */
function inTwo(port: number, bytes: string, at: number): Promise<string> {
  return new Promise((resolve, reject) => {
    let answer = '';
    const socket = connect({ port, host: '127.0.0.1', noDelay: true }, () => {
      socket.write(bytes.slice(0, at), 'latin1', () => setImmediate(() => socket.write(bytes.slice(at), 'latin1')));
    });
    socket.setEncoding('latin1').on('data', (chunk: string) => {
      answer += chunk;
    });
    socket.on('close', () => {
      resolve(answer);
    });
    socket.on('error', reject);
  });
}
