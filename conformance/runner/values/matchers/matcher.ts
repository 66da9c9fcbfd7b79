import type { Check, Path } from '../check.ts';
import { show } from '../show.ts';
import type { JsonObject } from '../json.ts';
import type { Scope } from '../variables.ts';

/** What a comparison is made under. */
export interface MatchContext {
  /** Where the expectation stands in the case file. */
  readonly at: Path;
  /** The path into the observation. */
  readonly what: string;
  /** Whether members that are not named are allowed; lists are exact in both modes. */
  readonly mode: 'subset' | 'exact';
  readonly scope: Scope;
  /** Filled by `~capture`. */
  readonly captures: Map<string, unknown>;
  /** What `~sameAs` looks into; the outermost actual value unless set. */
  readonly root?: unknown;
  readonly soft?: 'observe';
}

export type Match = (expected: unknown, actual: unknown, context: MatchContext) => Check[];

/** One use of a matcher: its argument, the value it judges, and the way back into the comparison. */
export interface MatcherUse {
  readonly argument: unknown;
  readonly actual: unknown;
  /** The whole matcher object, for members such as `else`. */
  readonly written: JsonObject;
  readonly context: MatchContext;
  readonly match: Match;
}

/** A one-key object in an expectation such as `{~re: '^a'}`. Adding one is one file and one row in registry.ts. */
export interface Matcher {
  readonly name: string;
  /** One sentence for the documentation. */
  readonly text: string;
  /** Plain members that may stand beside it. */
  readonly modifiers?: readonly string[];
  /** Why the argument makes no sense; undefined when it does. Not asked while the argument still holds `${`. */
  readonly problem?: (argument: unknown) => string | undefined;
  readonly check: (use: MatcherUse) => Check[];
}

/** The single check of a matcher that looks at the value as a whole. */
export function one({ actual, context }: MatcherUse, ok: boolean, expected: string): Check[] {
  return [
    {
      at: context.at,
      what: context.what,
      ok,
      expected,
      actual: show(actual),
      ...(context.soft === undefined ? {} : { soft: context.soft }),
    },
  ];
}

/** Whether a value matches, without leaving captures behind. */
export function holds(use: Pick<MatcherUse, 'match' | 'context'>, expected: unknown, actual: unknown): boolean {
  const trial = { ...use.context, captures: new Map(use.context.captures) };
  return use.match(expected, actual, trial).every((check) => check.ok);
}
