import type { LintRegister } from '../../clauses/levels.ts';
import type { Path } from '../../values/check.ts';
import { nearest } from '../../values/nearest.ts';
import type { ConcreteCase } from '../concrete-case.ts';

/** What cases are held against. */
export interface LintContext {
  readonly register: LintRegister;
  /** `case-names.ts`: the parser behind it is loaded only when something is linted. */
  readonly expressions: {
    readonly namesOf: (given: ConcreteCase) => readonly string[];
    readonly headersWithoutText: (given: ConcreteCase) => readonly string[];
  };
}

/** Something an author got wrong. */
export interface Finding {
  readonly at: Path;
  /** The key at the path is wrong, not its value. */
  readonly key?: 'key';
  readonly message: string;
}

/** One thing every case has to satisfy. */
export type Rule = (given: ConcreteCase, context: LintContext) => readonly Finding[];

/** What to say about a name that is not known: the nearest one, or all of them when they are few. */
export function unknownName(what: string, name: string, known: Iterable<string>): string {
  const names = [...known];
  const hint = nearest(name, names);
  if (hint !== undefined) return `unknown ${what} ${name}, did you mean ${hint}?`;
  return names.length > 12 || names.length === 0
    ? `unknown ${what} ${name}`
    : `unknown ${what} ${name}; known are ${names.join(', ')}`;
}
