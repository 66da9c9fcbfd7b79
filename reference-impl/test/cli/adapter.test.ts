import { readFileSync } from 'node:fs';
import { PassThrough, Readable } from 'node:stream';
import { expect, test } from 'vitest';
import { parse } from 'yaml';
import { z } from 'zod';
import { FEATURES } from '../../cli/adapter/features.ts';
import { runAdapter } from '../../cli/adapter/run-adapter.ts';
import { backend, gateway, policy, route } from '../attachment/support/resources.ts';

async function session(...chunks: readonly string[]): Promise<{ code: number; answers: unknown[]; problems: string }> {
  const output = new PassThrough();
  const problems = new PassThrough();
  const code = await runAdapter(Readable.from(chunks), output, problems);
  const text = String(output.read() ?? '');
  const answers = text
    .split('\n')
    .filter(Boolean)
    .map((line): unknown => JSON.parse(line));
  return { code, answers, problems: String(problems.read() ?? '') };
}

async function ask(request: object): Promise<unknown> {
  const { answers } = await session(`${JSON.stringify(request)}\n`);
  expect(answers).toHaveLength(1);
  return answers[0];
}

const resources = [
  gateway('gw'),
  route('r'),
  backend('b'),
  policy('low', 'Gateway/gw', { traffic: { timeouts: { request: '1s' }, delay: { duration: '2s' } } }),
  policy('high', 'HTTPRoute/r', { traffic: { timeouts: { request: '9s' } } }),
];

test('hello names the implementation, its features and its operations', async () => {
  expect(await ask({ seq: 1, cmd: 'hello' })).toMatchObject({
    seq: 1,
    protocol: 1,
    implementation: { name: 'reference', language: 'typescript' },
    features: { 'core.http': 'yes', 'op.validate': 'yes' },
    ops: ['effective-policy', 'effective-policies', 'render', 'status', 'validate'],
  });
});

test('effective-policy answers from the resources of the input alone', async () => {
  const op = { cmd: 'op', op: 'effective-policy' };
  expect(await ask({ seq: 'a', ...op, input: { resources, phase: 'route' } })).toEqual({
    seq: 'a',
    result: { timeouts: { request: '9s' }, delay: { duration: '2s' } },
  });
  expect(await ask({ seq: 2, ...op, input: { resources: resources.slice(0, 3), phase: 'route' } })).toEqual({
    seq: 2,
    result: {},
  });
});

test.each([
  [{ resources, phase: 'route', route: 'other' }, 'no attached HTTPRoute "other": there is ns/r'],
  [{ resources, phase: 'nonsense' }, 'phase'],
  [{ resources: [...resources, { kind: 'Nonsense' }], phase: 'route' }, 'resources[5] is not accepted'],
  [{ resources: [...resources, gateway('gw')], phase: 'route' }, 'given twice'],
])('effective-policy says what is wrong with its input %#', async (input, message) => {
  const answer = await ask({ seq: 3, cmd: 'op', op: 'effective-policy', input });
  expect(answer).toMatchObject({ seq: 3, error: { message: expect.stringContaining(message) as unknown } });
});

test('effective-policies answers every question for every set, and what is wrong stands in its place', async () => {
  const [gw, r, b, low, high] = resources;
  const questions = [{ phase: 'route' }, { phase: 'route', route: 'other' }];
  const input = { shared: [gw, r, b], sets: [[low], [low, high], [{ kind: 'Nonsense' }], [gw]], questions };
  const other = { error: { message: expect.stringContaining('no attached HTTPRoute') as unknown } };
  const answers = [
    [{ result: { timeouts: { request: '1s' }, delay: { duration: '2s' } } }, other],
    [{ result: { timeouts: { request: '9s' }, delay: { duration: '2s' } } }, other],
    [refused('resources[0] is not accepted'), refused('resources[0] is not accepted')],
    [refused('given twice'), refused('given twice')],
  ];
  expect(await ask({ seq: 3, cmd: 'op', op: 'effective-policies', input })).toEqual({ seq: 3, result: { answers } });
});

test('validate accepts a good resource and lists everything wrong with a bad one', async () => {
  const op = { seq: 4, cmd: 'op', op: 'validate' };
  expect(await ask({ ...op, input: { resource: resources[3] } })).toMatchObject({ result: { accepted: true } });
  const bad = { ...resources[3], spec: { traffic: { delays: 1 } } };
  expect(await ask({ ...op, input: { resource: bad } })).toMatchObject({
    result: {
      accepted: false,
      violations: expect.arrayContaining([
        expect.objectContaining({ path: 'spec.traffic.delays' }),
        expect.objectContaining({ path: 'spec', clause: 'ADMIT-063' }),
      ]) as unknown,
    },
  });
});

test('what the adapter does not know is unsupported, not ok', async () => {
  expect(await ask({ seq: 5, cmd: 'dance' })).toEqual({ seq: 5, unsupported: 'cmd dance' });
  expect(await ask({ seq: 6, cmd: 'op', op: 'zz-random' })).toEqual({ seq: 6, unsupported: 'op zz-random' });
  expect(await ask({ seq: 7, cmd: 'op', op: 'constructor' })).toEqual({ seq: 7, unsupported: 'op constructor' });
  expect(await ask({ seq: 8, cmd: 'toString' })).toEqual({ seq: 8, unsupported: 'cmd toString' });
});

test('requests may be cut anywhere and come in one piece', async () => {
  const text = `{"seq":1,"cmd":"hello"}\n\nnot json\n[]\n{"seq":2,"cmd":"stop"}\n{"seq":3,"cmd":"hello"}\n`;
  const whole = await session(text);
  const single = await session(...text.split(''));
  expect(single).toEqual(whole);
  expect(whole.code).toBe(0);
  expect(whole.answers).toMatchObject([{ seq: 1 }, { error: {} }, { error: {} }, { seq: 2, ok: true }]);
});

test('a request without end ends the session', async () => {
  const megabytes = Array.from({ length: 65 }, () => 'x'.repeat(1024 * 1024));
  const { code, problems } = await session(...megabytes);
  expect(code).toBe(1);
  expect(problems).toContain('longer than');
});

test('hello declares what the manifest declares', async () => {
  const manifest = parse(readFileSync(new URL('../../implementation.yaml', import.meta.url), 'utf8')) as unknown;
  const {
    'backend.auth.discovery.cloudA': keys,
    'backend.auth.discovery.cloudB': identity,
    'backend.auth.discovery.cloudC': platform,
    ...declared
  } = z.object({ features: z.record(z.string(), z.string()) }).parse(manifest).features;
  // What it finds in its environment, which the manifest makes.
  expect([keys, identity, platform]).toEqual(['yes', 'yes', 'yes']);
  expect(await ask({ seq: 9, cmd: 'hello' })).toMatchObject({ features: declared });
  expect([...FEATURES].toSorted()).toEqual(Object.keys(declared).toSorted());
});

function refused(message: string): object {
  return { error: { message: expect.stringContaining(message) as unknown } };
}
