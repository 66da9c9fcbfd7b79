import { describe, expect, test } from 'vitest';
import { compileEdits } from '../../../../backends/ai/policy/field-edits.ts';
import { compileAliases } from '../../../../backends/ai/policy/model-aliases.ts';
import { policyBlock } from '../../../../backends/ai/policy/policy-block.ts';
import { compileRoutes } from '../../../../backends/ai/policy/routes.ts';

describe('aliases', () => {
  const alias = compileAliases({ exact: 'a', 'ex*': 'b', 'ex*t': 'c', '*-mini': 'd', 'a*a': 'e' });

  test.each([
    ['exact', 'a'],
    ['ext', 'c'],
    ['ex', 'b'],
    ['exactly', 'b'],
    ['gpt-mini', 'd'],
    ['a', 'a'],
    ['aa', 'e'],
    ['toString', 'toString'],
  ])('%s is asked for as %s', (model, name) => {
    expect(alias(model)).toBe(name);
  });
});

test('the longest suffix of routes decides, then *', () => {
  const type = compileRoutes({ '*': 'Detect', '/b': 'Messages', '/a/b': 'Responses' });
  expect(['/x/a/b', '/x/b', '/x', ''].map(type)).toEqual(['Responses', 'Messages', 'Detect', 'Detect']);
  expect(compileRoutes({ '/b': 'Messages' })('/x')).toBe('Completions');
});

// PROMPT-004, docs/decisions/llm-backends.md
test('roles of prompt are as written for the format of the client, and in lower case for another one', () => {
  const block = policyBlock({
    prompt: { prepend: [{ role: 'SYSTEM', content: 'Be BRIEF' }], append: [{ role: 'user', content: 'Bye' }] },
  });
  expect(block.prompt.prepend).toEqual([{ role: 'SYSTEM', content: 'Be BRIEF' }]);
  expect(block.translatedPrompt).toEqual({
    prepend: [{ role: 'system', content: 'Be BRIEF' }],
    append: [{ role: 'user', content: 'Bye' }],
  });
});

describe('edits', () => {
  const request = { model: 'm', a: 1 };
  const variables = (root: string): unknown => (root === 'llmRequest' ? request : undefined);
  const computed = (expression: string): unknown =>
    compileEdits({ transformations: [{ field: 'a', expression }] })(request, variables)['a'];

  test('a request without edits stays the same object', () => {
    expect(compileEdits({})(request, variables)).toBe(request);
  });

  test.each([
    ['llmRequest.a + 1', 2],
    ['1.5', 1.5],
    ['9007199254740993', '9007199254740993'],
    ['[1, {"b": 2u}]', [1, { b: 2 }]],
    ['{"n": null}', { n: null }],
    ["b'a'", 'YQ=='],
    ["duration('90s')", '90s'],
  ])('%s becomes JSON', (expression, value) => {
    expect(computed(expression)).toEqual(value);
  });

  test.each(['llmRequest.none', 'null', 'no such expression ('])('%s takes the field out', (expression) => {
    expect(computed(expression)).toBeUndefined();
  });

  // docs/decisions/llm-backends.md
  test.each([
    ['max_tokens', 'max_completion_tokens'],
    ['max_completion_tokens', 'max_tokens'],
  ])('the limit %s takes the place of %s too', (field, other) => {
    const asked = { [field]: 9000, [other]: 9000 };
    const edits = [
      { overrides: [{ field, value: 10 }] },
      { transformations: [{ field, expression: '10' }] },
      { overrides: [{ field: other, value: 9 }], transformations: [{ field, expression: '10' }] },
    ];
    expect(compileEdits(edits[0] ?? {})(asked, variables)).toEqual({ [field]: 10 });
    expect(compileEdits(edits[1] ?? {})(asked, variables)).toEqual({ [field]: 10 });
    // What the policy itself says twice it says twice.
    expect(compileEdits(edits[2] ?? {})(asked, variables)).toEqual({ [field]: 10, [other]: 9 });
    expect(compileEdits({ defaults: [{ field, value: 10 }] })({ [other]: 9 }, variables)).toEqual({
      [field]: 10,
      [other]: 9,
    });
  });

  test('a field may have the name of what every object has', () => {
    const edit = compileEdits({
      overrides: [{ field: '__proto__', value: 1 }],
      defaults: [{ field: 'toString', value: 2 }],
    });
    const edited = edit(request, variables);
    expect(JSON.stringify(edited)).toBe('{"model":"m","a":1,"__proto__":1,"toString":2}');
  });
});
