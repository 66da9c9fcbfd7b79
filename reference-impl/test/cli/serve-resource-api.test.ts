import { spawn } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { request } from 'node:http';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { expect, test } from 'vitest';
import { get, simpleSetup, startUpstream } from '../support/data-plane.ts';
import { PROGRAM } from '../support/process.ts';

const COLLECTIONS: Readonly<Record<string, string>> = {
  Gateway: '/apis/gateway.networking.k8s.io/v1/namespaces/default/gateways',
  HTTPRoute: '/apis/gateway.networking.k8s.io/v1/namespaces/default/httproutes',
  ProxyBackend: '/apis/proxy.example/v1alpha1/namespaces/default/proxybackends',
};

test('what was submitted is in force when the answer comes, ports included', async () => {
  await using upstream = await startUpstream((incoming, response) => response.end(incoming.url));
  const folder = mkdtempSync(path.join(tmpdir(), 'refproxy-api-'));
  const child = spawn(process.execPath, [...PROGRAM, 'serve', '--config', folder, '--admin-port', '0'], {
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  try {
    const adminPort = await adminPortOf(child.stderr);
    const port = await freePort();
    for (const resource of simpleSetup(port, upstream.port)) {
      const kind = String(Reflect.get(resource, 'kind'));
      // Each must be in force before the next.
      expect(await post(adminPort, COLLECTIONS[kind] ?? `/no/collection/for/${kind}`, resource)).toBe(201);
    }
    expect(await get(port, '/x')).toMatch(/^HTTP\/1\.1 200 .*\/x$/s);
  } finally {
    child.kill('SIGKILL');
    rmSync(folder, { recursive: true });
  }
});

function post(port: number, target: string, body: object): Promise<number | undefined> {
  return new Promise((resolve, reject) => {
    const headers = { 'content-type': 'application/json' };
    const outgoing = request({ port, path: target, method: 'POST', headers }, (response) => {
      response.resume();
      resolve(response.statusCode);
    });
    outgoing.once('error', reject);
    outgoing.end(JSON.stringify(body));
  });
}

/** What the program logs later is read as well, so that it never waits for a reader. */
function adminPortOf(stderr: NodeJS.ReadableStream): Promise<number> {
  return new Promise((resolve, reject) => {
    let text = '';
    stderr.on('data', (chunk: Buffer) => {
      text += String(chunk);
      const found = /refproxy ready: admin 127\.0\.0\.1:(\d+)/.exec(text);
      if (found !== null) resolve(Number(found[1]));
    });
    stderr.once('end', () => {
      reject(new Error(text));
    });
  });
}

function freePort(): Promise<number> {
  return new Promise((resolve) => {
    const server = createServer();
    server.listen(0, '127.0.0.1', () => {
      const address = server.address();
      server.close(() => {
        resolve(typeof address === 'object' && address !== null ? address.port : 0);
      });
    });
  });
}
