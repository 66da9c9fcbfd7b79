import { execFile, spawn, spawnSync } from 'node:child_process';
import { text } from 'node:stream/consumers';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { certificateSecret, makeCertificate } from '../support/certificates.ts';
import {
  policy,
  simpleSetup,
  startDataPlane,
  startUpstream,
  type DataPlane,
  type Upstream,
} from '../support/data-plane.ts';

const has = (program: string, argument: string): boolean => {
  const isThere = spawnSync(program, [argument]).status === 0;
  if (!isThere) console.log(`tests with ${program} are skipped: it is not here`);
  return isThere;
};
const hasOpenssl = has('openssl', 'version');
const hasH2load = has('h2load', '--version');
const hasCurl = has('curl', '--version');
const curlSpeaksHttp2 = hasCurl && String(spawnSync('curl', ['--version']).stdout).includes('HTTP2');
if (hasCurl && !curlSpeaksHttp2) console.log('tests with curl over HTTP/2 are skipped: this curl does not speak it');

const run = promisify(execFile);

describe('over plain connections', () => {
  let upstream: Upstream;
  let plane: DataPlane;
  beforeAll(async () => {
    upstream = await startUpstream((request, response) => response.end(`${request.method} hello`));
    plane = await startDataPlane((port) => [
      ...simpleSetup(port, upstream.port),
      policy('ProxyBackend', { backend: { http: { version: 'HTTP1' } } }),
    ]);
  });
  afterAll(async () => {
    await plane[Symbol.asyncDispose]();
    await upstream[Symbol.asyncDispose]();
  });

  test.skipIf(!curlSpeaksHttp2)('curl --http2-prior-knowledge is served', async () => {
    const url = `http://127.0.0.1:${plane.port}/`;
    const args = ['-s', '--http2-prior-knowledge', '-w', ' %{http_version} %{num_connects}\n'];
    const { stdout } = await run('curl', [...args, '-d', 'body', url]);
    expect(stdout).toBe('POST hello 2 1\n');
  });

  test.skipIf(!hasCurl)('curl speaks HTTP/1.0 and HTTP/1.1 and keeps its connection', async () => {
    const url = `http://127.0.0.1:${plane.port}/`;
    const told = ['-w', ' %{http_version} %{num_connects}\n'];
    expect((await run('curl', ['-s', '--http1.1', ...told, url, url])).stdout).toBe(
      'GET hello 1.1 1\nGET hello 1.1 0\n',
    );
    expect((await run('curl', ['-s', '--http1.0', ...told, url])).stdout).toMatch(/^GET hello 1\.[01] 1\n$/);
  });

  test.skipIf(!hasH2load)('h2load has every one of its requests answered', async () => {
    const args = ['-n', '500', '-c', '5', '-m', '20', `http://127.0.0.1:${plane.port}/`];
    const { stdout } = await run('h2load', args);
    expect(stdout).toMatch(/requests: 500 total, 500 started, 500 done, 500 succeeded, 0 failed/);
  });
});

describe.skipIf(!hasOpenssl)('over TLS', () => {
  let upstream: Upstream;
  let plane: DataPlane;
  beforeAll(async () => {
    upstream = await startUpstream();
    const tls = { certificateRefs: [{ name: 'server' }] };
    plane = await startDataPlane((port) => [
      ...simpleSetup(port, upstream.port, {
        gateway: { listeners: [{ name: 'https', port, protocol: 'HTTPS', tls }] },
      }),
      policy('ProxyBackend', { backend: { http: { version: 'HTTP1' } } }),
      certificateSecret('server', makeCertificate('server', { names: ['DNS:a.test'] })),
    ]);
  });
  afterAll(async () => {
    await plane[Symbol.asyncDispose]();
    await upstream[Symbol.asyncDispose]();
  });

  test.each([
    ['-tls1_3', 'TLSv1.3'],
    ['-tls1_2', 'TLSv1.2'],
  ])('openssl s_client %s shakes hands and is answered', async (flag, version) => {
    const args = ['s_client', '-connect', `127.0.0.1:${plane.port}`, '-servername', 'a.test', flag, '-ign_eof'];
    const client = spawn('openssl', args, { stdio: ['pipe', 'pipe', 'ignore'] });
    client.stdin.write('GET / HTTP/1.1\r\nHost: a.test\r\nConnection: close\r\n\r\n');
    const said = await text(client.stdout);
    expect(said).toContain(version);
    expect(said).toMatch(/subject=CN ?= ?server/);
    expect(said).toMatch(/HTTP\/1\.1 200 OK[^]*hello/);
  });

  test('openssl s_client that offers h2 is given it, and one that offers nothing we speak is refused', async () => {
    expect(await offer(plane.port, 'h2,http/1.1')).toMatch(/ALPN protocol: h2/);
    expect(await offer(plane.port, 'http/1.1')).toMatch(/ALPN protocol: http\/1\.1/);
    expect(await offer(plane.port, 'smtp')).toMatch(/no application protocol/);
  });

  test.skipIf(!curlSpeaksHttp2)('curl agrees on HTTP/2 by ALPN', async () => {
    const to = ['--connect-to', `a.test:443:127.0.0.1:${plane.port}`, 'https://a.test/'];
    expect((await run('curl', ['-sk', '-w', ' %{http_version}', ...to])).stdout).toBe('hello 2');
    expect((await run('curl', ['-sk', '--http1.1', '-w', ' %{http_version}', ...to])).stdout).toBe('hello 1.1');
  });
});

/** What openssl says of a handshake in which it offers these protocols. */
async function offer(port: number, protocols: string): Promise<string> {
  const args = ['s_client', '-connect', `127.0.0.1:${port}`, '-servername', 'a.test', '-alpn', protocols];
  const client = spawn('openssl', args, { stdio: ['ignore', 'pipe', 'pipe'] });
  const said = await Promise.all([text(client.stdout), text(client.stderr)]);
  return said.join('');
}
