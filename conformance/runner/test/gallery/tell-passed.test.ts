import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { z } from 'zod';
import { packageRoot } from '../../values/package-root.ts';

const HOOK = pathToFileURL(path.join(packageRoot(), 'conformance/gallery/tell-passed.mjs')).href;

const PROGRAM = `interface Numbers { readonly first: number }
const TABLE: readonly number[] = [1, 2].map((one): number => one * 10);
export function pick(which: string, { first }: Numbers = { first: 7 }): number {
  if (which === 'first') return first;
  return which === 'table' ? TABLE.length : 99;
}
export const hot = (value: number): boolean => value > 3 || value === 2;
export const behind: Record<string, (known: string, other: Promise<string>) => Promise<string>> = {
  '??': async (known, other) => {
    const text = known ?? await other;
    return text + 'A';
  },
  '?:': async (known, other) => {
    const text = String(known === '' ? await other : known === 'k' ? known : await
      other);
    return text + 'B';
  },
  '||=': async (known, other) => {
    known ||= (await other);
    return known + 'C';
  },
  if: async (known, other) => {
    if (known === 'k') return known;
    return (await other) + 'D';
  },
};
export async function turn(gate: Promise<boolean>): Promise<number> {
  let turns = 0;
  while (turns < 2) {
    const more = await gate;
    if (more) turns += 1;
    else turns = 55;
  }
  return turns;
}
`;

let folder = '';
beforeEach(() => {
  folder = mkdtempSync(path.join(tmpdir(), 'conform-passed-'));
  for (const kind of ['orders', 'running', 'told', 'src']) mkdirSync(path.join(folder, kind));
  writeFileSync(path.join(folder, 'orders/order.json'), '1');
  writeFileSync(path.join(folder, 'src/program.ts'), PROGRAM);
});
afterEach(() => {
  rmSync(folder, { recursive: true, force: true });
});

/** Runs code that knows the program, `order` and `told`; answers the texts of what each answer says was executed. */
async function answers(code: string): Promise<ReadonlyMap<string, string>> {
  const preamble = `
    import { existsSync, writeFileSync, watch } from 'node:fs';
    const order = async (turn) => {
      const file = ${JSON.stringify(folder)} + '/told/' + turn + '-' + process.pid + '-0.json';
      const { promise, resolve } = Promise.withResolvers();
      const watcher = watch(${JSON.stringify(path.join(folder, 'told'))}, () => { if (existsSync(file)) resolve(); });
      writeFileSync(${JSON.stringify(path.join(folder, 'orders/order.json'))}, String(turn));
      await promise;
      watcher.close();
    };
    const { pick, turn, hot, behind } = await import(${JSON.stringify(pathToFileURL(path.join(folder, 'src/program.ts')).href)});`;
  const sources = pathToFileURL(path.join(folder, 'src/')).href;
  const child = spawn(process.execPath, ['--import', HOOK, '--input-type=module', '--eval', preamble + code], {
    env: { CONFORM_PASSED: JSON.stringify({ folder, sources }) },
    stdio: 'inherit',
  });
  await once(child, 'exit');
  expect(readdirSync(path.join(folder, 'running'))).toEqual([]);
  return new Map(
    readdirSync(path.join(folder, 'told')).map((name) => {
      const [when = '', , thread] = name.split('-');
      return [thread === '0.json' ? when : `${when} in a thread`, textOf(name)];
    }),
  );
}

const toldSchema = z.object({ 'program.ts': z.array(z.number()).optional() });

function textOf(answer: string): string {
  const told = toldSchema.parse(JSON.parse(readFileSync(path.join(folder, 'told', answer), 'utf8')));
  const places = told['program.ts'] ?? [];
  return places.map((at, index) => (index % 2 === 0 ? PROGRAM.slice(at, places[index + 1]) : '|')).join('');
}

test('what was executed is told to its places, since the order before', async () => {
  const told = await answers("await order(2); pick('first'); await order(3); pick('table');");
  expect(told.get('2')).toContain('one * 10');
  expect(told.get('2')).not.toContain('return first');
  expect(told.get('3')).toContain('return first');
  expect(told.get('3')).not.toMatch(/one \* 10|TABLE/);
  expect(told.get('ended')).toContain('TABLE.length');
  expect(told.get('ended')).not.toMatch(/return first|99|one \* 10|turns/);
});

test('what waited when the order before was given is told with what is around it', async () => {
  const told = await answers(
    'const gate = Promise.withResolvers(); const done = turn(gate.promise); await order(2); gate.resolve(true); await done;',
  );
  expect(told.get('ended')).toContain('turns < 2');
  expect(told.get('ended')).toContain('turns += 1');
  expect(told.get('ended')).not.toContain('turns = 55');
});

test('a function without blocks is told also after it was called so often that V8 would optimize it', async () => {
  const often = 'for (let value = 0; value < 300_000; value++) hot(value % 7);';
  const told = await answers(`${often} await order(2); ${often} await order(3); hot(1); await order(4);`);
  for (const turn of ['2', '3', '4']) expect(told.get(turn)).toContain('value === 2');
  expect(told.get('ended')).toBe('');
});

test.each([
  ['??', 'A', true],
  ['?:', 'B', true],
  ['||=', 'C', true],
  ['if', 'D', false],
] as const)('what stands behind an await in %s is told when it was come by', async (how, mark, isPassed) => {
  const told = await answers(`await order(2); await behind['${how}']('k', Promise.resolve('other'));`);
  expect(told.get('ended')?.includes(`+ '${mark}'`)).toBe(isPassed);
});

test('threads tell what they execute', async () => {
  const told = await answers(`pick('table');
    const { Worker } = await import('node:worker_threads');
    const code = "import('${pathToFileURL(path.join(folder, 'src/program.ts')).href}').then(({ pick }) => pick('first'))";
    await new Promise((resolve) => new Worker(code, { eval: true }).on('exit', resolve));`);
  expect(told.get('ended in a thread')).toContain('return first');
  expect(told.get('ended in a thread')).not.toContain('TABLE.length');
  expect(told.get('ended')).not.toContain('return first');
});

test.each(['SIGTERM', 'SIGHUP'])('a program that %s ends tells what it has executed', async (signal) => {
  const told = await answers(`pick('first'); setInterval(() => {}, 1e6); process.kill(process.pid, '${signal}');`);
  expect(told.get('ended')).toContain('return first');
});

test('a signal that the program hears ends nothing', async () => {
  const told = await answers(
    "const heard = new Promise((resolve) => process.once('SIGTERM', resolve)); const busy = setInterval(() => {}, 1e6); process.kill(process.pid, 'SIGTERM'); await heard; pick('table'); clearInterval(busy);",
  );
  expect(told.get('ended')).toContain('TABLE.length');
});
