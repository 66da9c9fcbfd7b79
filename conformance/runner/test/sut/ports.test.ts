import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { freePort } from '../../sut/ports.ts';

let leases: string;

beforeEach(async () => {
  leases = await mkdtemp(path.join(tmpdir(), 'conform-ports-test-'));
});

afterEach(async () => {
  await rm(leases, { recursive: true });
});

test('ports do not run out, and none comes back soon', { timeout: 60_000 }, async () => {
  const given: number[] = [];
  for (let n = 0; n < 6_100; n++) given.push(await freePort(leases));
  const again = given.filter((port, n) => given.slice(Math.max(0, n - 2_999), n).includes(port));
  expect(again).toEqual([]);
  expect(Math.min(...given)).toBeGreaterThanOrEqual(26_000);
  expect(Math.max(...given)).toBeLessThan(32_000);
});

test('cases that are prepared at the same time are given ports of their own', async () => {
  const given = await Promise.all(Array.from({ length: 500 }, async () => freePort(leases)));
  expect(new Set(given).size).toBe(500);
});

test('a port that another process was given a moment ago is not given out', async () => {
  const ports = path.resolve('conformance/runner/sut/ports.ts');
  const script = `import { freePort } from ${JSON.stringify(ports)};
for (let n = 0; n < 600; n++) console.log(await freePort(${JSON.stringify(leases)}));`;
  const others = [1, 2].map(async () => {
    const child = spawn(process.execPath, ['--input-type=module', '-e', script], {
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    let output = '';
    child.stdout.on('data', (chunk) => (output += String(chunk)));
    await once(child, 'close');
    return output.trim().split('\n').map(Number);
  });
  const given = (await Promise.all(others)).flat();
  expect(given).toHaveLength(1200);
  expect(new Set(given).size).toBe(1200);
  expect((await readdir(leases)).length).toBeGreaterThanOrEqual(1200);
});

test('where no leases can be written, a free port is given', async () => {
  expect(await freePort('/dev/null/nowhere')).toBeGreaterThanOrEqual(26_000);
});
