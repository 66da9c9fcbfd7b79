import type { LintRegister } from '../../clauses/levels.ts';
import type { Path } from '../../values/check.ts';
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
