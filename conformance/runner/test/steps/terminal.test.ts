import { createServer, type Server } from 'node:http';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { stepKinds } from '../../steps/registry.ts';
import { ToolMissing, type Observation, type StepContext } from '../../steps/step.ts';
import { missingPrograms } from '../../sut/requirements.ts';
import { parseManifest } from '../../sut/manifest.ts';
import { stepContext } from '../support/step-context.ts';

const LIMIT = { timeout: 20_000 };
const noScript = missingPrograms(['script']).length > 0;
if (noScript) process.stderr.write('terminal steps are not tested: the program script is not installed\n');

/** Asks the admin endpoint for something, then names each key it is given on the screen; q ends it with code 7. */
const CLIENT = `
const names = { '\\t': 'tab', '\\x1b[B': 'down', '\\x1b[A': 'up', x: 'x', c: 'c', h: 'h', q: 'q' };
const known = /\\t|\\x1b\\[[AB]|[xchq]/g;
let seen = 0;
process.stdin.setRawMode(true);
process.stdin.on('data', (bytes) => {
  for (const [key] of bytes.toString().matchAll(known)) {
    if (key === 'q') process.exit(7);
    if (key === 'h') {
      process.stdout.write('half', () => setTimeout(() => process.stdout.write(' and whole\\r\\n'), 20));
      continue;
    }
    process.stdout.write(key === 'c' ? '\\x1b[H\\x1b[7mready\\x1b[0m\\x1b[20H' : names[key] + '#' + ++seen + '\\r\\n');
  }
});
fetch('http://127.0.0.1:' + process.argv[1] + '/debug/trace').then(() => {
  process.stdout.write('\\x1b[2J\\x1b[Hready ' + process.stdout.columns + 'x' + process.stdout.rows + ' ' + process.argv.slice(2) + '\\r\\n');
});
`;

let admin: Server;
let context: StepContext;

beforeEach(async () => {
  admin = createServer((_, response) => response.end('here'));
  await new Promise<void>((resolve) => admin.listen(0, '127.0.0.1', resolve));
  const address = admin.address();
  const port = typeof address === 'object' && address !== null ? address.port : 0;
  const trace = [process.execPath, '-e', CLIENT, '--', '{{port.admin}}'];
  const manifest = parseManifest(
    JSON.stringify({
      contract: 1,
      implementation: { name: 'x' },
      run: { kind: 'process', command: ['x'] },
      cli: { trace },
    }),
    'implementation.yaml',
  );
  const data = { host: '127.0.0.1', port: 1 };
  context = await stepContext({ data, admin: { host: '127.0.0.1', port } }, { manifest, limitMs: 10_000 });
});

afterEach(async () => {
  context.background.stop();
  admin.closeAllConnections();
  await new Promise((resolve) => admin.close(resolve));
});

async function step(
  input: object,
  expected: Readonly<Record<string, unknown>> = {},
  limitMs = 10_000,
): Promise<Observation> {
  return (await stepKinds['terminal']?.run(input, { ...context, expect: expected, limitMs })) ?? {};
}

describe.skipIf(noScript)('terminal', LIMIT, () => {
  test('shows the screen of a client with a terminal of its size, and awaits what is expected of it', async () => {
    const seen = await step({ args: ["it's"], as: 'ui', rows: 24 }, { screen: "ready 120x24 it's" });
    expect(seen).toMatchObject({ screen: "ready 120x24 it's", running: true });
  });

  test('types keys by name, letter and count, and the program ends when it wants to', async () => {
    await step({ args: [], as: 'ui' }, { screen: { '~contains': 'ready' } });
    const seen = await step({ on: 'ui', keys: ['tab', { down: 3 }, 'x'] }, { screen: { '~contains': 'x#5' } });
    expect(seen['lines']).toEqual(expect.arrayContaining(['tab#1', 'down#2', 'down#3', 'down#4', 'x#5']));
    expect(await step({ on: 'ui', keys: ['q'] }, { running: false })).toMatchObject({ running: false, exit: 7 });
  });

  test('a change of colour alone is a change, and no change within the limit is none', async () => {
    await step({ args: [], as: 'ui' }, { screen: { '~contains': 'ready' } });
    const { screen } = await step({ on: 'ui' });
    expect(await step({ on: 'ui', keys: ['c'] }, { changed: true })).toMatchObject({ changed: true, screen });
    expect(await step({ on: 'ui', keys: ['z'] }, { changed: true }, 100)).toMatchObject({
      changed: false,
      running: true,
    });
  });

  test('a screen that is as expected is looked at when all of it is painted', async () => {
    await step({ args: [], as: 'ui' }, { screen: { '~contains': 'ready' } });
    const seen = await step({ on: 'ui', keys: ['h'] }, { screen: { '~contains': 'half' } });
    expect(seen['lines']).toContain('half and whole');
  });

  test('without the program script it is the machine that lacks something', async () => {
    vi.stubEnv('PATH', '/nowhere');
    await expect(step({ args: [], as: 'ui' })).rejects.toThrow(ToolMissing);
    vi.unstubAllEnvs();
  });
});
