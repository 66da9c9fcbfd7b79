import { expect, test } from 'vitest';
import { CIRCUMSTANCES, circumstancesByArea } from '../circumstances.ts';
import { concreteCase } from '../../../conformance/runner/test/support/concrete-case.ts';
import type { ConcreteCase } from '../../../conformance/runner/case/concrete-case.ts';

const step = (kind: string, input: unknown): ConcreteCase['steps'][number] => ({ id: 's', kind, input, at: [] });

function found(one: ConcreteCase): readonly string[] {
  const [row] = circumstancesByArea([one], ['TRACE', 'CLI']);
  return CIRCUMSTANCES.filter((_, index) => row?.counts[index] === 1).map(({ name }) => name);
}

test('a plain case is in none', () => {
  expect(found(concreteCase('a', { steps: [step('http', { GET: '/' })] }))).toEqual([]);
});

test.each<readonly [string, Partial<ConcreteCase>]>([
  ['HTTP/2', { steps: [step('http', { GET: '/', version: '2' })] }],
  ['HTTP/2', { steps: [step('llm', { user: 'hi', httpVersion: '2' })] }],
  ['HTTP/2', { steps: [step('frames', { send: [] })] }],
  ['HEAD', { steps: [step('http', { HEAD: '/' })] }],
  ['WebSocket', { steps: [step('websocket', { GET: '/' })] }],
  ['changed', { steps: [step('apply', { add: [] })] }],
  ['fault', { peers: { up: { kind: 'http', reply: { fault: 'reset' } } } }],
  ['backend HTTP/2', { peers: { up: { kind: 'http', http2: true } } }],
  ['two policies', { config: [{ kind: 'ProxyPolicy', spec: { traffic: { csrf: {}, buffer: {} } } }] }],
  [
    'two levels',
    {
      config: [
        { kind: 'ProxyPolicy', spec: { targetRefs: [{ at: 'route' }], traffic: { csrf: {} } } },
        { kind: 'ProxyPolicy', spec: { targetRefs: [{ at: 'gateway' }], traffic: { csrf: {} } } },
      ],
    },
  ],
])('one of %s is found by what it says', (name, more) => {
  expect(found(concreteCase('a', more))).toEqual([name]);
});

test('a server that a policy names is no level', () => {
  const backendRef = { kind: 'ProxyBackend', name: 'auth' };
  const spec = { targetRefs: [{ at: 'route' }], traffic: { phase: 'PostRouting', extAuth: { backendRef } } };
  expect(found(concreteCase('a', { config: [{ kind: 'ProxyPolicy', spec }] }))).toEqual([]);
});

test('rows of a case count once, and recommended cases and other layers not at all', () => {
  const steps = [step('http', { HEAD: '/' })];
  const rows = ['a[one]', 'a[two]'].map((id) => concreteCase(id, { baseId: 'a', steps }));
  const others = [concreteCase('b', { level: 'should', steps }), concreteCase('c', { layer: 'op', steps })];
  const [row] = circumstancesByArea([...rows, ...others], ['TRACE']);
  expect([row?.all, row?.counts.filter((count) => count > 0)]).toEqual([1, [1]]);
});
