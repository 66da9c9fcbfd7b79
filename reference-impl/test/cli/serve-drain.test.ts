import { type ChildProcess, spawn } from 'node:child_process';
import { EventEmitter, once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import type { ServerResponse } from 'node:http';
import { connect as connectHttp2, type ClientHttp2Session } from 'node:http2';
import { connect, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { get, policy, simpleSetup, startUpstream } from '../support/data-plane.ts';
import { documents, follow, freePort, PROGRAM, type Process } from '../support/process.ts';

describe('the end of refproxy serve', () => {
  let folder = '';
  const children: ChildProcess[] = [];
  const sessions: ClientHttp2Session[] = [];
  const sockets: Socket[] = [];
  beforeEach(() => {
    folder = mkdtempSync(path.join(tmpdir(), 'refproxy-drain-'));
  });
  afterEach(() => {
    for (const child of children.splice(0)) child.kill('SIGKILL');
    for (const session of sessions.splice(0)) session.destroy();
    for (const socket of sockets.splice(0)) socket.destroy();
    rmSync(folder, { recursive: true });
  });

  const serve = async (port: number, upstream: number, ...args: string[]): Promise<Process> => {
    const resources = [
      ...simpleSetup(port, upstream),
      policy('ProxyBackend', { backend: { http: { version: 'HTTP1' } } }),
    ];
    writeFileSync(path.join(folder, 'a.json'), documents(resources));
    const child = spawn(process.execPath, [...PROGRAM, 'serve', '--config', folder, '--admin-port', '0', ...args], {
      stdio: ['ignore', 'ignore', 'pipe'],
    });
    children.push(child);
    const proxy = follow(child);
    await proxy.says(/^refproxy ready: /m);
    return proxy;
  };
  const talk = (port: number, target: string): Talk => {
    const socket = connect(port, '127.0.0.1', () => socket.write(`GET ${target} HTTP/1.1\r\nHost: a\r\n\r\n`));
    sockets.push(socket);
    return follows(socket);
  };
  const ask = (port: number, target: string): Asked => {
    const session = connectHttp2(`http://127.0.0.1:${port}`);
    session.on('error', () => {});
    sessions.push(session);
    return asked(session, target);
  };

  it('answers everything that is under way, says that it goes, and lets nobody in any more', async () => {
    await using upstream = await startGated();
    const port = await freePort();
    const proxy = await serve(port, upstream.port, '--drain', '60s');
    const idle = talk(port, '/at-once');
    await idle.has('done');
    const unanswered = talk(port, '/late');
    const begun = talk(port, '/begun');
    const stream = ask(port, '/late');
    await Promise.all([upstream.arrived(3), begun.has('first ')]);

    proxy.child.kill('SIGTERM');
    const [code] = await Promise.all([stream.goaway, idle.ended]);
    expect(code).toBe(0);
    await expect(get(port)).rejects.toThrow('ECONNREFUSED');
    upstream.release();

    await Promise.all([unanswered.ended, begun.ended]);
    expect(unanswered.heard()).toMatch(/^HTTP\/1\.1 200 [^]*connection: close[^]*done$/i);
    expect(begun.heard()).toMatch(/first [^]*done\r\n0\r\n\r\n$/);
    expect(await stream.answer).toEqual({ status: 200, body: 'done' });
    // Nobody waits for the end of the sixty seconds.
    expect(await proxy.exit).toBe(0);
  });

  it('cuts what is still under way when its time is over, over both versions of HTTP', async () => {
    await using upstream = await startGated();
    const port = await freePort();
    const proxy = await serve(port, upstream.port, '--drain', '200ms');
    const unanswered = talk(port, '/late');
    const begun = talk(port, '/begun');
    const stream = ask(port, '/late');
    await Promise.all([upstream.arrived(3), begun.has('first ')]);

    const began = performance.now();
    proxy.child.kill('SIGTERM');
    expect(await proxy.exit).toBe(0);
    const took = performance.now() - began;
    expect(took).toBeGreaterThan(190);
    // Without the flag it is 5 s.
    expect(took).toBeLessThan(4500);
    await Promise.all([unanswered.ended, begun.ended]);
    expect(unanswered.heard()).toBe('');
    expect(begun.heard()).not.toMatch(/\r\n0\r\n\r\n$/);
    expect(await stream.answer).toEqual({ status: undefined, body: '' });
  });
});

interface Talk {
  readonly heard: () => string;
  readonly has: (word: string) => Promise<void>;
  readonly ended: Promise<unknown>;
}

function follows(socket: Socket): Talk {
  let heard = '';
  socket.setEncoding('latin1').on('data', (chunk: string) => {
    heard += chunk;
  });
  socket.on('error', () => {
    // What is cut may be reset.
  });
  return {
    heard: () => heard,
    has: async (word) => {
      while (!heard.includes(word)) await once(socket, 'data');
    },
    ended: new Promise((resolve) => socket.once('close', resolve)),
  };
}

interface Asked {
  readonly answer: Promise<{ status: unknown; body: string }>;
  /** The code of the GOAWAY. */
  readonly goaway: Promise<number>;
}

function asked(session: ClientHttp2Session, target: string): Asked {
  const stream = session.request({ ':path': target });
  const seen: { status: unknown; body: string } = { status: undefined, body: '' };
  stream.on('response', (headers) => {
    seen.status = headers[':status'];
  });
  stream.setEncoding('latin1').on('data', (chunk: string) => {
    seen.body += chunk;
  });
  stream.on('error', () => {});
  return {
    answer: new Promise((resolve) => {
      stream.once('close', () => {
        resolve(seen);
      });
    }),
    goaway: new Promise((resolve) => session.once('goaway', resolve)),
  };
}

/** A backend that answers `/at-once`, and everything else when it is told to; of `/begun` it has sent a word before. */
async function startGated(): Promise<
  AsyncDisposable & { port: number; arrived: (times: number) => Promise<void>; release: () => void }
> {
  const waiting: ServerResponse[] = [];
  const arrivals = new EventEmitter();
  const upstream = await startUpstream((request, response) => {
    if (request.url === '/at-once') {
      response.end('done');
      return;
    }
    if (request.url === '/begun') response.write('first ');
    waiting.push(response);
    arrivals.emit('one');
  });
  return {
    port: upstream.port,
    arrived: async (times) => {
      while (waiting.length < times) await once(arrivals, 'one');
    },
    release: () => {
      for (const response of waiting) response.end('done');
    },
    [Symbol.asyncDispose]: () => upstream[Symbol.asyncDispose](),
  };
}
