import { execFileSync, spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { createSecureServer, type Http2SecureServer } from 'node:http2';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import type { PolicyReferences } from '../../attachment/view.ts';
import { Cancellation } from '../../base/cancellation.ts';
import { systemClock } from '../../base/clock.ts';
import { HeaderMap } from '../../base/headers.ts';
import { bytesBody } from '../../base/read-body.ts';
import type { Request } from '../../exchange/exchange.ts';
import type { BackendTLS } from '../../resources/proxy-policy/fields/backend-tls.ts';
import { connection } from '../../upstream/connection.ts';
import type { Response } from '../../upstream/http-call.ts';
import { createHttpClient } from '../../upstream/http-client.ts';
import { textOf } from '../policies/support/exchange.ts';

const isInstalled = spawnSync('openssl', ['version']).status === 0;
if (!isInstalled) console.log('HTTP/2 to backends is skipped: there is no openssl here to make a certificate');

const NOWHERE: PolicyReferences = {
  backend: () => ({ unresolved: 'backendNotFound', message: '' }),
  secret: () => undefined,
  configMap: () => undefined,
  secretsByLabels: () => [],
  configMapsByLabels: () => [],
};

describe.skipIf(!isInstalled)('a backend that takes h2', () => {
  let server: Http2SecureServer | undefined;
  let folder = '';
  let port = 0;

  beforeAll(async () => {
    folder = mkdtempSync(join(tmpdir(), 'refproxy-'));
    const [key, cert] = [join(folder, 'key.pem'), join(folder, 'cert.pem')];
    const subject = ['-subj', '/CN=backend', '-addext', 'subjectAltName=IP:127.0.0.1'];
    const keys = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1', '-nodes', '-keyout', key];
    execFileSync('openssl', ['req', '-x509', ...keys, '-out', cert, ...subject], { stdio: 'ignore' });
    // BTLS-002: what the system trusts, before anybody asked.
    process.env['SSL_CERT_FILE'] = cert;
    server = createSecureServer({ key: readFileSync(key), cert: readFileSync(cert) }, (request, response) => {
      const chunks: Buffer[] = [];
      request.on('data', (chunk: Buffer) => chunks.push(chunk));
      request.on('end', () => {
        response.writeHead(207, { 'X-Up': 'one', 'set-cookie': ['a=1', 'b=2'] });
        const { method, url, headers, httpVersion } = request;
        response.addTrailers({ 'x-sum': 's' });
        response.end(JSON.stringify({ method, url, headers, httpVersion, body: Buffer.concat(chunks).toString() }));
      });
    });
    port = await new Promise<number>((resolve) => {
      server?.listen(0, '127.0.0.1', () => {
        const address = server?.address();
        resolve(typeof address === 'object' && address !== null ? address.port : 0);
      });
    });
  });
  afterAll(() => {
    server?.close();
    rmSync(folder, { recursive: true });
  });

  const send = (tls: BackendTLS, given: Partial<Request> = {}): Promise<Response> => {
    const client = createHttpClient(systemClock);
    onTestFinished(client.close);
    const { dial } = connection({ tls, sources: {} }, NOWHERE);
    const request: Request = {
      method: 'GET',
      scheme: 'https',
      authority: 'shop.test',
      target: '/a?b=%20',
      version: 'HTTP/1.1',
      headers: HeaderMap.of([['x-client', 'c']]),
      body: undefined,
      ...given,
    };
    const endpoint = { kind: 'tcp', host: '127.0.0.1', port } as const;
    return client.send({ endpoint, dial, request, requestTimeout: 5000, cancellation: new Cancellation() });
  };

  test('BTLS-002, BTLS-017: an empty policy trusts the system and speaks what the backend prefers', async () => {
    const response = await send({});
    expect(response.status).toBe(207);
    expect([...response.headers].filter(([name]) => name !== 'date')).toEqual([
      ['x-up', 'one'],
      ['set-cookie', 'a=1'],
      ['set-cookie', 'b=2'],
    ]);
    expect(JSON.parse((await textOf(response.body)) ?? '')).toMatchObject({
      method: 'GET',
      url: '/a?b=%20',
      httpVersion: '2.0',
      headers: { ':authority': 'shop.test', ':scheme': 'https', 'x-client': 'c' },
    });
    expect([...(response.body?.trailers?.() ?? [])]).toEqual([['x-sum', 's']]);
  });

  test('a body arrives whole', async () => {
    const body = 'x'.repeat(300_000);
    const response = await send({}, { method: 'POST', body: bytesBody(Buffer.from(body)) });
    expect(JSON.parse((await textOf(response.body)) ?? '')).toMatchObject({ method: 'POST', body });
  });

  test('a backend that takes nothing of what is offered is a failed call', async () => {
    await expect(send({ alpnProtocols: ['http/1.1'] })).rejects.toMatchObject({ code: 'upstreamCallFailed' });
  });
});
