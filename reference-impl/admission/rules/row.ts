import type { Path, Violation } from '../violation.ts';

/** A rule of one kind: gives every place of a resource that breaks it. */
export type Rule<Subject> = (subject: Subject) => readonly Violation[];

/**
 * One row of a rule table: the clause, the items it is about with their paths, the test each must pass, and what to say.
 * The clause is empty where no document states the rule: it comes from another standard, or is a choice of docs/decisions.
 */
export function row<Subject, Item>(
  clause: string,
  items: (subject: Subject) => Iterable<readonly [Path, Item]>,
  holds: (item: Item, subject: Subject) => boolean,
  message: string | ((item: Item) => string),
): Rule<Subject> {
  return (subject) => {
    const violations: Violation[] = [];
    for (const [path, item] of items(subject)) {
      if (holds(item, subject)) continue;
      const text = typeof message === 'string' ? message : message(item);
      violations.push(clause === '' ? { path, message: text } : { path, message: text, clause });
    }
    return violations;
  };
}

/** The items of an optional list, with their paths. */
export function each<Item>(path: Path, items: readonly Item[] | undefined): (readonly [Path, Item])[] {
  return (items ?? []).map((item, index) => [[...path, index], item]);
}

/** The item when it is there, with its path. */
export function present<Item>(path: Path, item: Item | undefined): (readonly [Path, Item])[] {
  return item === undefined ? [] : [[path, item]];
}

/** The items whose `key` an earlier item has already. */
export function findRepeated<Item>(
  items: Iterable<readonly [Path, Item]>,
  key: (item: Item) => string | undefined,
): (readonly [Path, Item])[] {
  const seen = new Set<string>();
  return [...items].filter(([, item]) => {
    const value = key(item);
    if (value === undefined) return false;
    const again = seen.has(value);
    seen.add(value);
    return again;
  });
}

/** For rows whose `items` are the offenders already. */
export const never = (): boolean => false;
