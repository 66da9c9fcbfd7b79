import { expect, test } from 'vitest';
import { foundationCases, shownByFields } from '../../clauses/foundations.ts';

const FRONTEND = 'resources.proxy-policy.frontend-target';

test('a resource stands on what shows the fields it sets, a field of its own kind alone', () => {
  expect(shownByFields([{ kind: 'ProxyPolicy', spec: { frontend: {} } }])).toEqual([FRONTEND]);
  expect(shownByFields([{ kind: 'ProxyPolicy', spec: { traffic: { frontend: {} } } }])).toEqual([]);
  expect(shownByFields([{ kind: 'ProxyBackend', spec: { frontend: {} } }])).toEqual([]);
  expect(shownByFields([{ kind: 'ProxyPolicy' }, {}])).toEqual([]);
});

test('lists are entered at each item, and the key * is that key', () => {
  const target = (policies: object): object => ({ static: { host: 'a', ...policies } });
  const spec = { mcp: { targets: [target({}), target({ policies: {} })] } };
  expect(shownByFields([{ kind: 'ProxyBackend', spec }])).toEqual(['resources.proxy-backend.target-policies']);
  const routed = (routes: object): object => ({ kind: 'ProxyBackend', spec: { policies: { ai: { routes } } } });
  expect(shownByFields([routed({ '*': 'Detect' })])).toEqual(['ai.routes.suffix']);
  expect(shownByFields([routed({ '/chat': 'Detect' })])).toEqual([]);
});

test('what shows a field is among the cases that stand on nothing', () => {
  expect(foundationCases()).toContain(FRONTEND);
});
