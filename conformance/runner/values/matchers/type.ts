import { isList, isObject } from '../json.ts';
import { one } from './matcher.ts';
import type { Matcher } from './matcher.ts';

const TYPES: Readonly<Record<string, (value: unknown) => boolean>> = {
  string: (value) => typeof value === 'string',
  number: (value) => typeof value === 'number',
  integer: Number.isInteger,
  boolean: (value) => typeof value === 'boolean',
  null: (value) => value === null,
  list: isList,
  object: isObject,
};

export const type: Matcher = {
  name: '~type',
  text: `is of this type, or of one of these: ${Object.keys(TYPES).join(', ')}`,
  problem: (argument) =>
    namesOf(argument).every((name) => Object.hasOwn(TYPES, name))
      ? undefined
      : `takes one of ${Object.keys(TYPES).join(', ')}`,
  check: (use) => {
    const names = namesOf(use.argument);
    return one(
      use,
      names.some((name) => TYPES[name]?.(use.actual) === true),
      `a value of type ${names.join(' or ')}`,
    );
  },
};

function namesOf(argument: unknown): readonly string[] {
  return isList(argument) ? argument.map(String) : [String(argument)];
}
