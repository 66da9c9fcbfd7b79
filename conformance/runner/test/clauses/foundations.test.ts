import { expect, test } from 'vitest';
import type { JsonObject } from '../../values/json.ts';
import { foundationCases, shownByFields } from '../../clauses/foundations.ts';

const FRONTEND = 'resources.proxy-policy.frontend-target';

test('a resource stands on what shows the fields it sets, a field of its own kind alone', () => {
  expect(shownByFields([{ kind: 'ProxyPolicy', spec: { frontend: {} } }])).toEqual([FRONTEND]);
  expect(shownByFields([{ kind: 'ProxyPolicy', spec: { backend: { frontend: {} } } }])).toEqual([]);
  expect(shownByFields([{ kind: 'ProxyBackend', spec: { frontend: {} } }])).toEqual([]);
  expect(shownByFields([{ kind: 'ProxyPolicy' }, {}])).toEqual([]);
});

test('lists are entered at each item, and the key * is that key', () => {
  const spec = { mcp: { targets: [{ static: { host: 'a' } }, { static: { host: 'b', policies: {} } }] } };
  expect(shownByFields([{ kind: 'ProxyBackend', spec }])).toEqual([
    'resources.proxy-backend.target-policies',
    'mcp.targets.several',
  ]);
  expect(shownByFields([routed({ '*': 'Detect' })])).toEqual(['ai.formats-by-path.types[messages]']);
  expect(shownByFields([routed({ '/chat': 'Detect' })])).toEqual([]);
});

test('a list without items sets nothing', () => {
  expect(shownByFields([selecting([])])).toEqual([]);
  expect(shownByFields([selecting([{}])])).toEqual(['attachment.targets.selector[one-label]']);
});

test('a member that is a number is that item: one rule alone stands on no order of rules', () => {
  expect(shownByFields([routeOf([{}])])).toEqual([]);
  expect(shownByFields([routeOf([{}, {}])])).toContain('routing.routes.precedence');
});

test('a provider of another format than the one that is asked in stands on the translation, one of the same does not', () => {
  const resources = [{ kind: 'ProxyBackend', spec: { ai: { provider: { vendor4: {} } } } }];
  const translated = 'ai.completions.translated[whole]';
  expect(shownByFields(resources, ['Messages', 'Completions'])).toContain(translated);
  expect(shownByFields(resources, ['Messages'])).not.toContain(translated);
  expect(shownByFields(resources)).not.toContain(translated);
});

function routeOf(rules: readonly object[]): Readonly<Record<string, unknown>> {
  return { kind: 'HTTPRoute', spec: { rules } };
}

function routed(routes: object): Readonly<Record<string, unknown>> {
  return { kind: 'ProxyBackend', spec: { policies: { ai: { routes } } } };
}

test('what shows a field is among the cases that stand on nothing', () => {
  expect(foundationCases()).toContain(FRONTEND);
});

function selecting(targetSelectors: readonly object[]): JsonObject {
  return { kind: 'ProxyPolicy', spec: { targetSelectors } };
}
