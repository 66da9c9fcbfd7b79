import { namesOf } from '../case/case-names.ts';
import type { ConcreteCase } from '../case/concrete-case.ts';
import type { Instance } from '../sut/instance.ts';
import { isFailure } from '../values/check.ts';
import { NAMES_ANSWER, probeIds, vocabulary, type KnownName } from '../values/expressions/vocabulary.ts';
import { isList } from '../values/json.ts';
import type { CaseResult } from './case-result.ts';
import { executeCase } from './execute-case.ts';
import { prepareCases, releaseCase } from './prepare-case.ts';

/** Names in expressions that the implementation does not have, among those no document defines; for each case. */
export type MissingNames = (one: ConcreteCase) => readonly string[];

/** Nothing is missing. */
export const allNames: MissingNames = () => [];

/** What probing needs. */
export interface NameProbes {
  /** Cases that are going to run. */
  readonly cases: readonly ConcreteCase[];
  /** Every case that was read; the probes are among them. */
  readonly read: readonly ConcreteCase[];
  readonly stop: AbortSignal;
}

/**
 * Finds out which names the cases may use: what the manifest says, or else what the probes show that some case needs, all of them in one
 * revision. A probe that could not be run says nothing, and its name counts as there. Never rejects.
 */
export async function findMissingNames(instance: Instance, probes: NameProbes): Promise<MissingNames> {
  const { unspecified, features, admissionOnly } = instance.session;
  const said = unspecified[NAMES_ANSWER];
  // Nothing is evaluated where nothing is sent.
  if (said === 'all' || admissionOnly === true) return allNames;
  const needed = new Map(probes.cases.map((one) => [one, undocumentedNames(one)] as const));
  const wanted = new Map([...needed.values()].flat().map((known) => [known.name, known.origin]));
  const missing = new Set([...wanted].flatMap(([name, origin]) => lacksFeature(name, origin, features)));
  const open = [...wanted].flatMap(([name, origin]) =>
    origin && 'probe' in origin ? [{ name, id: origin.probe }] : [],
  );
  if (isList(said)) for (const { name } of open.filter((one) => !said.includes(one.name))) missing.add(name);
  else for (const name of await probe(open, instance, probes)) missing.add(name);
  const showing = new Set(probeIds());
  return (one) =>
    showing.has(one.baseId)
      ? []
      : (needed.get(one) ?? undocumentedNames(one)).flatMap(({ name }) =>
          missing.has(name) ? [`the name ${name} in expressions, which no document defines (${NAMES_ANSWER})`] : [],
        );
}

function undocumentedNames(one: ConcreteCase): readonly KnownName[] {
  const known = namesOf(one).flatMap((name) => vocabulary().find(name) ?? []);
  return known.filter(({ origin }) => origin !== undefined);
}

function lacksFeature(
  name: string,
  origin: KnownName['origin'],
  features: Readonly<Record<string, boolean>>,
): readonly string[] {
  return origin !== undefined && 'feature' in origin && features[origin.feature] !== true ? [name] : [];
}

async function probe(
  open: readonly { readonly name: string; readonly id: string }[],
  instance: Instance,
  { read, stop }: NameProbes,
): Promise<readonly string[]> {
  const { features } = instance.session;
  const names = new Map(open.map(({ name, id }) => [id, name]));
  const chosen = read.filter(
    ({ baseId, needs }) => names.has(baseId) && needs.every((need) => features[need] === true),
  );
  if (chosen.length === 0 || stop.aborted) return [];
  const prepared = await prepareCases(chosen, instance);
  const shown = await Promise.all(
    prepared.map(async (one) => {
      const result = await executeCase(one, { stop });
      await releaseCase(one);
      return shows(result) ? [] : [names.get(one.case.baseId) ?? one.case.baseId];
    }),
  );
  return shown.flat();
}

/** True unless the implementation answered, and otherwise than one that has the name. */
function shows({ checks, controls, fault }: CaseResult): boolean {
  return fault !== undefined || controls.some(isFailure) || !checks.some(isFailure);
}
