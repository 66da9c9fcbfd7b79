import fc from 'fast-check';
import type { ConcreteCase } from '../case/concrete-case.ts';
import type { Step } from '../steps/step.ts';
import type { JsonObject } from '../values/json.ts';
import { FAILS, inOtherWords, textOf, valueOf, type Expression, type Operator } from './expression-model.ts';
import type { Family } from './property.ts';

/**
 * Expressions that become headers, each beside its twin in other words: both have the value of the model. Rules whose expressions may fail:
 * a rule matches when all of them are true (AUTHZ-001), and one that fails is not (AUTHZ-010 to AUTHZ-012).
 */
export const expressions: Family = {
  noun: 'sets of expressions',
  examples: (one, max) =>
    fc.tuple(fc.array(TEXTS, { minLength: 1, maxLength: max }), RULES).map(([texts, rule]) =>
      drawnCase(
        one,
        texts.filter((text) => valueOf(text) !== FAILS),
        rule,
      ),
    ),
};

interface Rule {
  readonly action: 'Allow' | 'Deny' | 'Require';
  readonly all: readonly Expression[];
}

const { number, text, boolean } = fc.letrec<{ number: Expression; text: Expression; boolean: Expression }>((tie) => {
  const list = fc.array(fc.integer({ min: -3, max: 9 }), { minLength: 1, maxLength: 4 });
  const binary = (of: 'number' | 'text' | 'boolean', ...operators: readonly Operator[]): fc.Arbitrary<Expression> =>
    fc.record({ is: fc.constantFrom(...operators), left: tie(of), right: tie(of) });
  const choice = (of: 'number' | 'text' | 'boolean'): fc.Arbitrary<Expression> =>
    fc.record({ is: fc.constant('choice' as const), when: tie('boolean'), left: tie(of), right: tie(of) });
  const unary = (
    is: 'negative' | 'not' | 'string' | 'size',
    of: 'number' | 'text' | 'boolean',
  ): fc.Arbitrary<Expression> => fc.record({ is: fc.constant(is), of: tie(of) });
  return {
    number: fc.oneof(
      { maxDepth: 3, withCrossShrink: true },
      fc.record({ is: fc.constant('number' as const), value: fc.integer({ min: -9, max: 12 }) }),
      binary('number', '+', '-', '*', '/', '%'),
      unary('negative', 'number'),
      unary('size', 'text'),
      fc.record({ is: fc.constant('item' as const), list, of: tie('number') }),
      choice('number'),
    ),
    text: fc.oneof(
      { maxDepth: 3, withCrossShrink: true },
      fc.record({ is: fc.constant('text' as const), value: fc.stringMatching(/^[a-c]{0,3}$/) }),
      binary('text', '+'),
      unary('string', 'number'),
      choice('text'),
    ),
    boolean: fc.oneof(
      { maxDepth: 3, withCrossShrink: true },
      fc.record({ is: fc.constant('boolean' as const), value: fc.boolean() }),
      binary('boolean', '&&', '||', '==', '!='),
      binary('number', '<', '<=', '>', '>=', '==', '!='),
      binary('text', '==', '!=', '<', 'contains', 'startsWith', 'endsWith'),
      unary('not', 'boolean'),
      fc.record({ is: fc.constantFrom('in' as const, 'exists' as const, 'all' as const), list, of: tie('number') }),
      choice('boolean'),
    ),
  };
});

// An empty header is one that some leave out, so every text begins with a letter.
const TEXTS: fc.Arbitrary<Expression> = fc
  .oneof(
    text,
    number.map((of) => ({ is: 'string' as const, of })),
  )
  .map((right) => ({ is: '+', left: { is: 'text', value: 'v' }, right }));
const PLAIN: Expression = { is: 'text', value: 'v' };
const RULES: fc.Arbitrary<Rule> = fc.record({
  action: fc.constantFrom('Allow' as const, 'Deny' as const, 'Require' as const),
  all: fc.array(boolean, { minLength: 1, maxLength: 3 }),
});

function drawnCase(one: ConcreteCase, texts: readonly Expression[], rule: Rule): ConcreteCase {
  // A list of headers is not empty: one is always there.
  const headers = [PLAIN, ...texts].flatMap((given, index) => [
    { name: `x-${index}`, given, value: textOf(given) },
    { name: `x-${index}-in-other-words`, given, value: textOf(inOtherWords(given)) },
  ]);
  const set = headers.map(({ name, value }) => ({ name, value }));
  const wanted = Object.fromEntries(headers.map(({ name, given }) => [name, String(valueOf(given))]));
  const seen = isAllowed(rule) ? [{ GET: '/rule' }, { GET: '/twin' }] : [];
  return {
    ...one,
    config: [
      policy('headers', { transformation: { request: { set } } }),
      policy('rule', authorization(rule.action, rule.all)),
      policy('twin', authorization(rule.action, rule.all.map(inOtherWords).toReversed())),
    ],
    steps: [
      get(one, 'headers', 200),
      get(one, 'rule', isAllowed(rule) ? 200 : 403),
      get(one, 'twin', isAllowed(rule) ? 200 : 403),
    ],
    expect: { received: { up: [{ GET: '/headers', headers: wanted }, ...seen] } },
  };
}

function isAllowed({ action, all }: Rule): boolean {
  const matches = all.every((expression) => valueOf(expression) === true);
  return action === 'Deny' ? !matches : matches;
}

function authorization(action: string, all: readonly Expression[]): JsonObject {
  return { authorization: { action, policy: { matchExpressions: all.map(textOf) } } };
}

/** On the route of its name. */
function policy(name: string, traffic: JsonObject): JsonObject {
  return { kind: 'ProxyPolicy', metadata: { name }, spec: { targetRefs: [{ at: 'route', name }], traffic } };
}

function get(one: ConcreteCase, route: string, status: number): Step {
  return {
    id: route,
    kind: 'http',
    input: { GET: `/${route}` },
    expect: { status },
    at: [...one.at, 'property', 'check', 0],
  };
}
