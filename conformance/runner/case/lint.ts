import type { ConcreteCase } from './concrete-case.ts';
import { providersAnswerInFull } from './lint/answer-rules.ts';
import { expressionsUseKnownNames, headersAreTexts } from './lint/expression-rules.ts';
import { matchersAreKnown, peersAreKnown, shorthandFills, variablesAreKnown } from './lint/name-rules.ts';
import { providersNameTheirPath, signersNameTheirRegion } from './lint/provider-rules.ts';
import {
  clausesAreKnown,
  defectsAreKnown,
  featuresAreKnown,
  levelFollowsTheClauses,
  mustLevelNamesDefects,
  openPointsAreKnown,
} from './lint/register-rules.ts';
import type { Finding, LintContext, Rule } from './lint/rule.ts';
import { samplesAreBeyondDoubt } from './lint/sample-rules.ts';
import {
  negativeHasAWitness,
  somethingIsChecked,
  stepIdsAreUnique,
  titleStatesAFact,
  tracesAreArmed,
} from './lint/shape-rules.ts';
import type { Problem } from './problem.ts';
import { sortProblems } from './problem.ts';

const RULES: readonly Rule[] = [
  titleStatesAFact,
  clausesAreKnown,
  levelFollowsTheClauses,
  featuresAreKnown,
  openPointsAreKnown,
  mustLevelNamesDefects,
  negativeHasAWitness,
  somethingIsChecked,
  stepIdsAreUnique,
  peersAreKnown,
  tracesAreArmed,
  matchersAreKnown,
  variablesAreKnown,
  shorthandFills,
  providersAnswerInFull,
  expressionsUseKnownNames,
  headersAreTexts,
  samplesAreBeyondDoubt,
  providersNameTheirPath,
  signersNameTheirRegion,
];

/** Everything an author can get wrong that the schema does not see. An id must be the only one among `all`. */
export function lintCases(
  cases: readonly ConcreteCase[],
  context: LintContext,
  all: readonly ConcreteCase[] = cases,
): readonly Problem[] {
  const found = problemsOf(cases, (given) => RULES.flatMap((rule) => rule(given, context)));
  return sortProblems([...found, ...duplicateIds(all)]);
}

/** Cases that name defects the gallery does not have. The gallery changes more often than what else a case is held against. */
export function lintKills(cases: readonly ConcreteCase[], defects: ReadonlySet<string>): readonly Problem[] {
  return problemsOf(cases, (given) => defectsAreKnown(given, defects));
}

/** One problem per place and message, whatever the number of rows. */
function problemsOf(
  cases: readonly ConcreteCase[],
  findings: (given: ConcreteCase) => readonly Finding[],
): readonly Problem[] {
  const found = new Map<string, Problem>();
  for (const given of cases) {
    for (const { at, message, key: part } of findings(given)) {
      const key = `${given.file} ${at.join('/')} ${message}`;
      if (!found.has(key)) found.set(key, { file: given.file, message, path: at, position: given.position(at, part) });
    }
  }
  return [...found.values()];
}

/** Cases that have the id of another one. */
export function duplicateIds(cases: readonly ConcreteCase[]): readonly Problem[] {
  const first = new Map<string, ConcreteCase>();
  return cases.flatMap((given) => {
    const other = first.get(given.id);
    if (other === undefined) first.set(given.id, given);
    if (other === undefined) return [];
    const place = `${other.file}:${other.position([...other.at, 'id']).line}`;
    return [
      {
        file: given.file,
        message: `id ${given.id} is taken by ${place}`,
        path: [...given.at, 'id'],
        position: given.position([...given.at, 'id']),
      },
    ];
  });
}
