import type { Path } from '../values/check.ts';
import { isList, isObject } from '../values/json.ts';
import type { JsonObject } from '../values/json.ts';

/** Steps whose tokens were moved out of them, and those tokens by the name that now stands in their place. */
export interface WithoutTokens {
  readonly value: unknown;
  readonly tokens: JsonObject;
}

/**
 * `bearer: {by: …}` of `http` steps, nested ones included, is a token that nobody gave a name: it gets one and is signed
 * with the others. `bearer` then holds a variable, so that nothing after this knows of tokens in steps.
 */
export function namedTokens(value: unknown, at: Path = []): WithoutTokens {
  if (isList(value)) return collectItems(value.map((item, index) => namedTokens(item, [...at, index])));
  if (!isObject(value)) return { value, tokens: {} };
  const members = Object.entries(value).map(([key, item]) => {
    if (key !== 'bearer' || !isObject(item)) return [key, namedTokens(item, [...at, key])] as const;
    const name = ['bearer', ...at].join(' ');
    return [key, { value: `\${tokens.${name}}`, tokens: { [name]: item } }] as const;
  });
  return {
    value: Object.fromEntries(members.map(([key, inner]) => [key, inner.value])),
    tokens: mergeTokens(members.map(([, inner]) => inner)),
  };
}

function collectItems(items: readonly WithoutTokens[]): WithoutTokens {
  return { value: items.map((item) => item.value), tokens: mergeTokens(items) };
}

function mergeTokens(items: readonly WithoutTokens[]): JsonObject {
  return Object.fromEntries(items.flatMap((item) => Object.entries(item.tokens)));
}
