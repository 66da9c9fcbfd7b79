import { isList, isObject } from '../../values/json.ts';
import type { ConcreteCase } from '../concrete-case.ts';
import type { Finding } from './rule.ts';

/** A title says what is true, not what is wished for. */
export function titleStatesAFact({ title, at }: ConcreteCase): readonly Finding[] {
  const wish = /\bshould\b|^tests?\b/i.exec(title)?.[0];
  return wish === undefined
    ? []
    : [{ at: [...at, 'title'], message: `"${wish}": a title states the fact, not a wish` }];
}

/** "It did not happen" is also true of a proxy that is not there: something has to show that it could have happened. */
export function negativeHasAWitness({ layer, clauses, steps, witness, at }: ConcreteCase): readonly Finding[] {
  const onTheWire = layer === 'wire' || layer === 'trace';
  const index = clauses.findIndex((clause) => clause.as === 'negative');
  if (!onTheWire || index === -1 || clauses.some((clause) => clause.as === 'positive')) return [];
  if (
    witness.length > 0 ||
    allSteps(steps.map(({ input, kind, control }) => ({ [kind]: input, control }))).some(
      (step) => step['control'] === true,
    )
  )
    return [];
  return [
    { at: [...at, 'clauses', index], message: 'a case with only negative clauses needs a control step or a witness' },
  ];
}

/** At least one expectation is there. */
export function somethingIsChecked({ steps, expect, property, at }: ConcreteCase): readonly Finding[] {
  const checked = steps.some(
    (step) => step.expect !== undefined || allSteps(step.input).some((inner) => inner['expect'] !== undefined),
  );
  if (checked || property !== undefined || Object.keys(expect).length > 0) return [];
  return [{ at: [...at, 'id'], message: 'the case expects nothing: zero checks' }];
}

/** A step id names one step. */
export function stepIdsAreUnique({ steps }: ConcreteCase): readonly Finding[] {
  const seen = new Set<string>();
  return steps.flatMap(({ id, at }) => {
    if (!seen.has(id)) return seen.add(id) && [];
    return [{ at: [...at, 'id'], message: `step id ${id} is used twice` }];
  });
}

/** What is judged as a trace was armed under that name. */
export function tracesAreArmed({ steps, expect, at }: ConcreteCase): readonly Finding[] {
  const armed = allSteps(steps.map(({ kind, input }) => ({ [kind]: input }))).flatMap(({ trace }) =>
    isObject(trace) ? [trace['watch']] : [],
  );
  return Object.keys(expect.trace ?? {}).flatMap((name) =>
    armed.includes(name)
      ? []
      : [{ at: [...at, 'expect', 'trace', name], key: 'key', message: `no trace step watches as ${name}` }],
  );
}

/** All step objects below a value, for `parallel` and `repeat`. */
function allSteps(value: unknown): readonly Readonly<Record<string, unknown>>[] {
  if (isList(value)) return value.flatMap(allSteps);
  if (!isObject(value)) return [];
  return [value, ...['parallel', 'repeat', 'steps', 'step'].flatMap((key) => allSteps(value[key]))];
}
