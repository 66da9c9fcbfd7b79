import { type ChildProcess, spawn } from 'node:child_process';
import { mkdtempSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { get, simpleSetup, startUpstream } from '../support/data-plane.ts';
import { documents, follow, freePort, PROGRAM, portOf, type Process } from '../support/process.ts';

describe('refproxy serve', () => {
  let folder = '';
  const children: ChildProcess[] = [];
  beforeEach(() => {
    folder = mkdtempSync(path.join(tmpdir(), 'refproxy-serve-'));
  });
  afterEach(() => {
    for (const child of children.splice(0)) child.kill('SIGKILL');
    rmSync(folder, { recursive: true });
  });

  const serve = (...args: string[]): Process => {
    const child = spawn(process.execPath, [...PROGRAM, 'serve', ...args], { stdio: ['ignore', 'ignore', 'pipe'] });
    children.push(child);
    return follow(child);
  };

  it('serves a folder, follows it, says ready, and exits 0 on SIGTERM', async () => {
    await using upstream = await startUpstream((request, response) => response.end(request.url));
    const port = await freePort();
    writeFileSync(path.join(folder, 'a.json'), documents(simpleSetup(port, upstream.port)));
    const proxy = serve('--config', folder, '--admin-port', '0');
    await proxy.says(/^refproxy ready: admin 127\.0\.0\.1:\d+, data \d+$/m);
    expect(await get(port, '/x')).toMatch(/^HTTP\/1\.1 200 .*\/x$/s);

    writeFileSync(
      path.join(folder, 'a.json'),
      documents(simpleSetup(port, upstream.port, { rule: { backendRefs: [] } })),
    );
    await proxy.says(/"generation":2/);
    expect(await get(port, '/x')).toMatch(/^HTTP\/1\.1 500 /);

    writeFileSync(path.join(folder, 'a.json'), '{"kind": "Gateway"');
    await proxy.says(/"level":"error".*a\.json:/);
    expect(await get(port, '/x')).toMatch(/^HTTP\/1\.1 500 /);

    proxy.child.kill('SIGTERM');
    expect(await proxy.exit).toBe(0);
  });

  it('says that the admin port is in use', async () => {
    const squatter = createServer();
    const port = await new Promise<number>((resolve) => {
      squatter.listen(0, '127.0.0.1', () => {
        resolve(portOf(squatter));
      });
    });
    const proxy = serve('--config', folder, '--admin-port', String(port));
    await proxy.says(new RegExp(`error: admin port ${port} is in use`));
    expect(await proxy.exit).toBe(1);
    squatter.close();
  });

  it('says that a data port is in use, and does not serve without it', async () => {
    const squatter = createServer();
    const port = await new Promise<number>((resolve) => {
      squatter.listen(0, '127.0.0.1', () => {
        resolve(portOf(squatter));
      });
    });
    writeFileSync(path.join(folder, 'a.json'), documents(simpleSetup(port, 1)));
    const proxy = serve('--config', folder, '--admin-port', '0');
    await proxy.says(new RegExp(`^error: data port ${port} is in use by another program$`, 'm'));
    expect(await proxy.exit).toBe(1);
    squatter.close();
  });

  it('serves a single file and follows it when another takes its name', async () => {
    await using upstream = await startUpstream((request, response) => response.end(request.url));
    const port = await freePort();
    const file = path.join(folder, 'setup');
    writeFileSync(file, documents(simpleSetup(port, upstream.port)));
    const proxy = serve('--config', file, '--admin-port', '0');
    await proxy.says(/^refproxy ready: /m);
    expect(await get(port, '/x')).toMatch(/^HTTP\/1\.1 200 .*\/x$/s);
    writeFileSync(`${file}.new`, documents(simpleSetup(port, upstream.port, { rule: { backendRefs: [] } })));
    renameSync(`${file}.new`, file);
    await proxy.says(/"generation":2/);
    expect(await get(port, '/x')).toMatch(/^HTTP\/1\.1 500 /);
  });

  it('outlives SIGHUP, and gives answers under way the time it was told', async () => {
    await using upstream = await startUpstream(() => {});
    const port = await freePort();
    writeFileSync(path.join(folder, 'a.json'), documents(simpleSetup(port, upstream.port)));
    const proxy = serve('--config', folder, '--admin-port', '0', '--drain', '0ms');
    await proxy.says(/^refproxy ready: /m);
    proxy.child.kill('SIGHUP');
    await proxy.says(/SIGHUP changes nothing/);
    const answer = get(port, '/never');
    await expect.poll(() => upstream.received.length).toBe(1);
    proxy.child.kill('SIGTERM');
    expect(await proxy.exit).toBe(0);
    expect(await answer).toBe('');
  });

  it('says that the folder does not exist', async () => {
    const proxy = serve('--config', path.join(folder, 'none'), '--admin-port', '0');
    await proxy.says(/error: .*none/);
    expect(await proxy.exit).toBe(1);
  });
});
