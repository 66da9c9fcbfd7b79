import { execFile } from 'node:child_process';
import { type ClientHttp2Session, connect, constants } from 'node:http2';
import { promisify } from 'node:util';
import { describe, expect, onTestFinished, test } from 'vitest';
import type { Mock } from '../../../mock.ts';
import { suiteCertificates } from '../../../tls/suite.ts';
import { talk } from '../../support/raw-client.ts';
import { start, viewsOf } from '../../support/start.ts';

interface Answer {
  readonly status: number;
  readonly raw: readonly string[];
  readonly text: string;
  readonly trailers: readonly string[];
  readonly code: number | undefined;
}

const lane = (path: string, reply: object): object => ({ match: { path }, reply });

function session(mock: Mock): ClientHttp2Session {
  const scheme = mock.tls === true ? 'https' : 'http';
  const opened = connect(`${scheme}://${mock.host}:${mock.port}`, { ca: suiteCertificates().ca });
  opened.on('error', () => {});
  onTestFinished(() => opened.destroy());
  return opened;
}

function ask(opened: ClientHttp2Session, path: string, body = '', trailers?: Record<string, string>): Promise<Answer> {
  return new Promise((resolve) => {
    const stream = opened.request({ ':method': 'POST', ':path': path }, { waitForTrailers: trailers !== undefined });
    let answer = { status: 0, raw: [] as readonly string[], text: '', trailers: [] as readonly string[] };
    stream.on('wantTrailers', () => {
      stream.sendTrailers(trailers ?? {});
    });
    stream.on('response', (fields, _flags, raw) => (answer = { ...answer, status: Number(fields[':status']), raw }));
    stream.on('trailers', (_fields, _flags, raw: string[]) => (answer = { ...answer, trailers: raw }));
    stream.on('data', (chunk: Buffer) => (answer = { ...answer, text: answer.text + chunk.toString() }));
    stream.on('error', () => {});
    stream.on('close', () => {
      resolve({ ...answer, code: stream.rstCode });
    });
    stream.end(body);
  });
}

describe('an http mock that takes HTTP/2', () => {
  test('answers both versions on one port and tells them apart', async () => {
    const reply = {
      headers: [
        ['x-a', 1],
        ['x-b', 2],
        ['x-a', 3],
      ],
      chunks: ['one', 'two'],
      trailers: { 'grpc-status': 0 },
    };
    const mock = await start({ kind: 'http', http2: true, reply });
    const answer = await ask(session(mock), '/two?q', 'abc', { 'x-sum': '1' });
    expect(answer).toEqual({
      status: 200,
      raw: [':status', '200', 'x-a', '1', 'x-b', '2', 'x-a', '3'],
      text: 'onetwo',
      trailers: ['grpc-status', '0'],
      code: 0,
    });
    expect((await talk(mock, 'GET /one HTTP/1.1\r\nHost: h\r\nConnection: close\r\n\r\n')).text).toContain(
      'one\r\n3\r\ntwo',
    );
    expect(
      viewsOf(mock, 'method', 'target', 'version', 'authority', 'body', 'trailers', 'connection', 'complete'),
    ).toEqual([
      {
        method: 'POST',
        target: '/two?q',
        version: '2.0',
        authority: `127.0.0.1:${mock.port}`,
        body: 'abc',
        trailers: { 'x-sum': '1' },
        connection: 1,
        complete: true,
      },
      {
        method: 'GET',
        target: '/one',
        version: '1.1',
        authority: undefined,
        body: '',
        trailers: {},
        connection: 2,
        complete: true,
      },
    ]);
  });

  test('is offered over TLS', async () => {
    const mock = await start({ kind: 'http', http2: true, tls: true });
    expect(await ask(session(mock), '/')).toMatchObject({ status: 200, text: 'up' });
    expect(viewsOf(mock, 'version', 'scheme', 'tls')).toMatchObject([
      { version: '2.0', scheme: 'https', tls: { alpn: 'h2', offered: ['h2'] } },
    ]);
  });

  test('resets a stream, before its head and in its body, and goes on with the next', async () => {
    const on = [lane('/head', { fault: 'reset' }), lane('/body', { chunks: ['half', { reset: true }] })];
    const mock = await start({ kind: 'http', http2: true, on });
    const opened = session(mock);
    expect(await ask(opened, '/head')).toMatchObject({ status: 0, code: constants.NGHTTP2_INTERNAL_ERROR });
    expect(await ask(opened, '/body')).toMatchObject({ status: 200, code: constants.NGHTTP2_INTERNAL_ERROR });
    expect(await ask(opened, '/next')).toMatchObject({ text: 'up', code: 0 });
    expect(viewsOf(mock, 'connection')).toEqual([{ connection: 1 }, { connection: 1 }, { connection: 1 }]);
  });

  test('says that it does not know a fault of HTTP/1.1', async () => {
    const mock = await start({ kind: 'http', http2: true, reply: { fault: 'bad-chunk' } });
    await ask(session(mock), '/');
    expect(mock.ledger.fails).toEqual([expect.stringContaining('HTTP/2 knows only the faults hang and reset')]);
  });

  test('takes what curl sends in either version', async () => {
    const mock = await start({ kind: 'http', http2: true });
    const curl = (version: string): Promise<{ readonly stdout: string }> =>
      promisify(execFile)('curl', ['-s', '-m', '10', version, '-d', 'abc', `http://127.0.0.1:${mock.port}/c`]);
    const { stdout } = await curl('--http2-prior-knowledge');
    expect(stdout + (await curl('--http1.1')).stdout).toBe('upup');
    expect(viewsOf(mock, 'version', 'body')).toEqual([
      { version: '2.0', body: 'abc' },
      { version: '1.1', body: 'abc' },
    ]);
  });
});
