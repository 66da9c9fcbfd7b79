import { vocabulary } from '../../values/expressions/vocabulary.ts';
import type { ConcreteCase } from '../concrete-case.ts';
import type { Finding, LintContext } from './rule.ts';

/** What a case that is judged names in expressions is CEL, or something the table of names knows the origin of. */
export function expressionsUseKnownNames(given: ConcreteCase, { expressions }: LintContext): readonly Finding[] {
  if (given.level === 'observe') return [];
  return expressions
    .namesOf(given)
    .filter((name) => vocabulary().find(name) === undefined)
    .map((name) => ({
      at: [...given.at, 'config'],
      message: `expressions: no document defines ${name}; use a constant, or give it a probe in the table of names`,
    }));
}

/** A header is a text: what becomes of a number there is not said. */
export function headersAreTexts(given: ConcreteCase, { expressions }: LintContext): readonly Finding[] {
  if (given.level === 'observe') return [];
  return expressions.headersWithoutText(given).map((text) => ({
    at: [...given.at, 'config'],
    message: `expressions: a header is a text, so write string(${text})`,
  }));
}
