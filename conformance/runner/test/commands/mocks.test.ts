import { spawn } from 'node:child_process';
import type { ChildProcessWithoutNullStreams } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { describe, expect, onTestFinished, test } from 'vitest';
import { packageRoot } from '../../values/package-root.ts';
import { START_ROOM } from '../../values/start-room.ts';

const ROOT = packageRoot();

function conform(...args: readonly string[]): ChildProcessWithoutNullStreams {
  const child = spawn(process.execPath, [...START_ROOM, join(ROOT, 'bin/conform.mjs'), ...args], {
    cwd: ROOT,
  });
  onTestFinished(() => void child.kill('SIGKILL'));
  return child;
}

async function failure(...args: readonly string[]): Promise<{ code: unknown; words: string }> {
  const child = conform(...args);
  let words = '';
  child.stderr.on('data', (chunk: Buffer) => {
    words += chunk.toString();
  });
  const [code] = (await once(child, 'close')) as unknown[];
  return { code, words };
}

function scriptFile(text: string): string {
  const folder = mkdtempSync(join(tmpdir(), 'conform-test-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  writeFileSync(join(folder, 'script.yaml'), text);
  return join(folder, 'script.yaml');
}

describe('conform mocks up', () => {
  test('prints the address, then each request as a JSON line, and ends on Ctrl-C', async () => {
    const child = conform('mocks', 'up', '--script', scriptFile('reply: {status: 201, json: {a: 1}}'));
    const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
    const first = String((await lines.next()).value);
    expect(first).toMatch(/^http mock at http:\/\/127\.0\.0\.1:\d+$/);
    const answer = await fetch(`${first.replace(/^http mock at /, '')}/x?y=1`, { method: 'POST', body: '{"z":2}' });
    expect([answer.status, await answer.json()]).toEqual([201, { a: 1 }]);
    expect(JSON.parse(String((await lines.next()).value))).toMatchObject({
      method: 'POST',
      path: '/x',
      json: { z: 2 },
    });
    child.kill('SIGINT');
    expect(await once(child, 'close')).toEqual([0, null]);
  });

  test.each([
    [
      ['--kind', 'lmm'],
      2,
      'unknown kind lmm; known kinds: a2a, cloud-a, cloud-b, cloud-c, connect-proxy, extauth, extproc, guard, http, idp, llm, mcp, mcp-guard, otlp, ratelimit, realtime, tcp',
    ],
    [['--port', 'x'], 2, 'x is no port number'],
    [['--script', '/no/such/file'], 2, 'ENOENT'],
  ])('%j ends with exit code %d', async (args, code, words) => {
    const failed = await failure('mocks', 'up', ...args);
    expect(failed.code).toBe(code);
    expect(failed.words).toContain(words);
  });

  test('a script error names the member', async () => {
    const failed = await failure('mocks', 'up', '--script', scriptFile('{reply: {status: 20}}'));
    expect(failed.code).toBe(2);
    expect(failed.words).toMatch(/status/);
  });

  test('a port in use is exit code 3', async () => {
    const server = createServer().listen(0, '127.0.0.1');
    await once(server, 'listening');
    onTestFinished(() => void server.close());
    const address = server.address();
    const port = typeof address === 'object' && address !== null ? address.port : 0;
    const failed = await failure('mocks', 'up', '--port', String(port));
    expect(failed.code).toBe(3);
    expect(failed.words).toContain('EADDRINUSE');
  });
});
