import { one } from './matcher.ts';
import type { Matcher } from './matcher.ts';

export const json: Matcher = {
  name: '~json',
  text: 'is JSON text whose content matches',
  check: (use) => {
    const parsed = parse(use.actual);
    if (parsed === undefined) return one(use, false, 'JSON text');
    return use.match(use.argument, parsed.value, { ...use.context, root: parsed.value });
  },
};

function parse(actual: unknown): { readonly value: unknown } | undefined {
  if (typeof actual !== 'string') return undefined;
  try {
    const value: unknown = JSON.parse(actual);
    return { value };
  } catch {
    return undefined; // not JSON: that is the answer
  }
}
