import { once } from 'node:events';
import { createServer } from 'node:net';
import path from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { addNewCommand } from '../../commands/new.ts';
import { addUpCommand } from '../../commands/up.ts';
import { collect, conformRun, tinyManifest } from '../support/conform.ts';
import { runHere } from '../support/run-here.ts';

const adapter = path.join(import.meta.dirname, '../support/scripted-adapter.ts');

test('a dialect that is not there ends a run before anything is started', { timeout: 60_000 }, async () => {
  const manifest = tinyManifest('none', `adapter: ['${process.execPath}', '${adapter}', good]\n`);
  const { code, stdout, stderr } = await conformRun(manifest, 'good', ['--dialect', '/no/such']);
  expect(`${stdout}${stderr}`).toContain('/no/such: there is no such file (ENOENT)');
  expect(`${stdout}${stderr}`).not.toMatch(/^ +at /m);
  expect(code).toBe(2);
});

test('a port that a mock cannot have is exit code 3', { timeout: 60_000 }, async () => {
  const port = await takenPort();
  const { code, stderr } = await collect(['mocks', 'up', '--kind', 'extauth', '--port', String(port)]);
  expect(stderr).toMatch(/^conform mocks up: .*EADDRINUSE.*\n$/);
  expect(code).toBe(3);
});

test.each([
  [['new', '--clause', 'retry-001', '--suite', '../up'], '--suite ../up: lower-case words joined by dots'],
  [['up', 'x', '--port', '70000'], 'a port is a number from 1 to 65535'],
])('%j is a usage error', async (args, words) => {
  const { code, stderr } = await runHere(
    (program) => {
      addNewCommand(program);
      addUpCommand(program);
    },
    ...args,
  );
  expect(stderr).toContain(words);
  expect(code).toBe(2);
});

async function takenPort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(() => void server.close());
  const address = server.address();
  return typeof address === 'object' && address !== null ? address.port : 0;
}
