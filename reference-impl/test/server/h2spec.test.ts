import { execFile, spawnSync } from 'node:child_process';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { certificateSecret, hasOpenssl, makeCertificate } from '../support/certificates.ts';
import {
  policy,
  simpleSetup,
  startDataPlane,
  startUpstream,
  type DataPlane,
  type Upstream,
} from '../support/data-plane.ts';

// Somebody else's test of HTTP/2: go install github.com/summerwind/h2spec/cmd/h2spec@latest
const hasH2spec = spawnSync('h2spec', ['--version']).status === 0;
if (!hasH2spec) console.log('the tests of h2spec are skipped: it is not here');

describe.skipIf(!hasH2spec)('h2spec', () => {
  let upstream: Upstream;
  let plain: DataPlane;
  beforeAll(async () => {
    upstream = await startUpstream();
    plain = await startDataPlane((port) => [...simpleSetup(port, upstream.port), toHttp1]);
  });
  afterAll(async () => {
    await plain[Symbol.asyncDispose]();
    await upstream[Symbol.asyncDispose]();
  });

  test('finds in cleartext nothing else but HTTP/1 where the preface is none of HTTP/2', async () => {
    const { failed, total } = await h2spec(['-p', String(plain.port)]);
    expect(total).toBeGreaterThan(140);
    expect(failed).toEqual(['Sends invalid connection preface']);
  }, 120_000);

  test.skipIf(!hasOpenssl)(
    'finds nothing over TLS',
    async () => {
      const tls = { certificateRefs: [{ name: 'server' }] };
      await using plane = await startDataPlane((port) => [
        ...simpleSetup(port, upstream.port, {
          gateway: { listeners: [{ name: 'https', port, protocol: 'HTTPS', tls }] },
        }),
        toHttp1,
        certificateSecret('server', makeCertificate('server', { names: ['DNS:localhost'] })),
      ]);
      const { failed, total } = await h2spec(['-p', String(plane.port), '-t', '-k']);
      expect(total).toBeGreaterThan(140);
      expect(failed).toEqual([]);
    },
    120_000,
  );
});

const toHttp1 = policy('ProxyBackend', { backend: { http: { version: 'HTTP1' } } });

/** The tests that failed, and how many there were. h2spec says it with its exit code too, which is no failure of ours. */
function h2spec(args: readonly string[]): Promise<{ readonly failed: readonly string[]; readonly total: number }> {
  return new Promise((resolve) => {
    execFile('h2spec', ['-h', '127.0.0.1', '-o', '1', ...args], { maxBuffer: 1e7 }, (_error, stdout) => {
      const [, report = ''] = stdout.split('Failures:');
      const failed = [...report.matchAll(/× \d+: (.+)/g)].map(([, name = '']) => name);
      resolve({ failed, total: Number(/(\d+) tests, /.exec(stdout)?.[1] ?? 0) });
    });
  });
}
