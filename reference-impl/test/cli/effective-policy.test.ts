import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { PassThrough } from 'node:stream';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { type EffectivePolicyFlags, runEffectivePolicy } from '../../cli/effective-policy/run-effective-policy.ts';
import { backend, gateway, policy, route } from '../attachment/support/resources.ts';

let config = '';
beforeEach(() => {
  config = mkdtempSync(join(tmpdir(), 'effective-policy-'));
  const toBackends = ['b', 'c'].map((name) => ({ group: 'proxy.example', kind: 'ProxyBackend', name }));
  const resources = [
    gateway('gw', [{ name: 'one' }, { name: 'two', port: 3001 }]),
    route('r', { rules: [{ name: 'first', backendRefs: toBackends }, { name: 'second' }] }),
    backend('b'),
    backend('c'),
    policy('low', 'Gateway/gw', { traffic: { timeouts: { request: '1s' } } }),
    policy('high', 'HTTPRoute/r#second', { traffic: { timeouts: { request: '9s' } } }),
    policy('b', 'ProxyBackend/b', { backend: { tcp: { connectTimeout: '3s' } } }),
    policy('pre', 'Gateway/gw#two', { traffic: { phase: 'PreRouting', cors: { maxAge: 5 } } }),
  ];
  writeFileSync(join(config, 'all.json'), resources.map((each) => JSON.stringify(each)).join('\n---\n'));
});
afterEach(() => {
  rmSync(config, { recursive: true });
});

function run(flags: Omit<EffectivePolicyFlags, 'config'> & { config?: string }): {
  code: number;
  out: unknown;
  err: string;
} {
  const output = new PassThrough();
  const problems = new PassThrough();
  const code = runEffectivePolicy({ config, ...flags }, output, problems);
  const text = String(output.read() ?? '');
  return { code, out: text === '' ? undefined : (JSON.parse(text) as unknown), err: String(problems.read() ?? '') };
}

test('the policy of a rule, found by name or index', () => {
  const expected = { code: 0, out: { timeouts: { request: '9s' } }, err: '' };
  expect(run({ phase: 'route', rule: 'second' })).toEqual(expected);
  expect(run({ phase: 'route', rule: '1', gateway: 'ns/gw', route: 'ns/r', listener: 'one' })).toEqual(expected);
  expect(run({ phase: 'route', rule: 'first' }).out).toEqual({ timeouts: { request: '1s' } });
});

test('--sources tells who wrote each field', () => {
  expect(run({ phase: 'route', rule: 'second', sources: true }).out).toEqual({
    effectivePolicy: { timeouts: { request: '9s' } },
    sources: { timeouts: [{ kind: 'ProxyPolicy', namespace: 'ns', name: 'high', level: 'routeRule' }] },
  });
});

test('an inline credential is not printed', () => {
  const key = policy('key', 'ProxyBackend/c', {
    backend: { auth: { key: 'secret-1', location: { cookie: { name: 'k' } } } },
  });
  writeFileSync(join(config, 'key.json'), JSON.stringify(key));
  expect(run({ phase: 'backend', rule: 'first', backend: 'ns/c' }).out).toEqual({
    auth: { key: '<redacted>', location: { cookie: { name: 'k' } } },
  });
});

test('the policy of a backend and of a listener', () => {
  expect(run({ phase: 'backend', rule: 'first', backend: 'b' }).out).toEqual({ tcp: { connectTimeout: '3s' } });
  expect(run({ phase: 'backend', rule: 'first', backend: 'ns/c' }).out).toEqual({});
  expect(run({ phase: 'gateway', listener: 'two' }).out).toEqual({ cors: { maxAge: 5 } });
});

test.each([
  [{ phase: 'route' }, 'phase route has several answers here, say which: '],
  [{ phase: 'route', gateway: 'none' }, 'no Gateway "none": there is ns/gw'],
  [{ phase: 'route', gateway: 'gw', namespace: 'x' }, 'no Gateway "gw": there is ns/gw'],
  [{ phase: 'gateway', listener: 'three' }, 'no listener "three": there is one, two'],
  [{ phase: 'route', route: 'x' }, 'no attached HTTPRoute "x": there is ns/r'],
  [{ phase: 'route', rule: 'third' }, 'no rule "third": there is first, second'],
  [{ phase: 'backend', rule: 'first', backend: 'd' }, 'no backend "d": there is ns/b, ns/c'],
  [{ phase: 'backend', rule: 'second' }, 'there is no backend'],
] as const)('%j is refused with clear words', (flags, message) => {
  const { code, out, err } = run(flags);
  expect({ code, out }).toEqual({ code: 2, out: undefined });
  expect(err).toContain(message);
});

test('a folder that is wrong or missing is refused', () => {
  expect(run({ phase: 'route', config: join(config, 'missing') })).toMatchObject({ code: 2 });
  writeFileSync(join(config, 'bad.yaml'), 'kind: Nonsense\napiVersion: v1\nmetadata: {name: x}\n');
  const { code, err } = run({ phase: 'route', rule: 'second' });
  expect(code).toBe(2);
  expect(err).toMatch(/bad\.yaml:1:\d+ kind: unknown kind "Nonsense"/);
});
