import { levelOf } from '../../clauses/register.ts';
import type { Path } from '../../values/check.ts';
import { unknownName } from '../../values/unknown-name.ts';
import type { ConcreteCase } from '../concrete-case.ts';
import type { Finding, LintContext } from './rule.ts';

/** Every cited clause is in the register. */
export function clausesAreKnown({ clauses, at }: ConcreteCase, { register }: LintContext): readonly Finding[] {
  return clauses.flatMap(({ id }, index) =>
    register.clauses.has(id)
      ? []
      : [{ at: [...at, 'clauses', index, 'id'], message: unknownName('clause', id, register.clauses.keys()) }],
  );
}

/** Severity comes from the clauses: a case may not gate what the documents leave open, nor let off what they demand. */
export function levelFollowsTheClauses(
  { level, clauses, assumes, at }: ConcreteCase,
  { register }: LintContext,
): readonly Finding[] {
  const derived = levelOf(register.clauses, clauses);
  if (derived === undefined || derived === level) return [];
  // An open point that the case steps on takes it down, never up.
  if (level !== 'must' && assumes.length > 0) return [];
  const open = clauses.find(({ id }) => register.clauses.get(id)?.level === 'UNSPECIFIED');
  const why =
    level === 'must' && open !== undefined
      ? `${open.id} is UNSPECIFIED and cannot gate`
      : `its clauses give ${derived}`;
  return [{ at: [...at, 'level'], message: `level ${level}, but ${why}` }];
}

/** Every need is a feature an implementation can declare. */
export function featuresAreKnown(given: ConcreteCase, { register }: LintContext): readonly Finding[] {
  const known = new Set(register.features.map(({ id }) => id));
  return given.needs.flatMap((id) =>
    known.has(id) ? [] : [{ at: placeOfNeed(id, given), message: unknownName('feature', id, known) }],
  );
}

/** A case has the needs of the file before its own, so a number in the list is no place. */
function placeOfNeed(id: string, { needs, at, position }: ConcreteCase): Path {
  const stands = (path: Path): boolean => {
    const { lineText, column } = position(path);
    return lineText
      .slice(column - 1)
      .replace(/^['"]/, '')
      .startsWith(id);
  };
  const places = needs.flatMap((_, index) => [
    [...at, 'needs', index],
    ['defaults', 'needs', index],
  ]);
  return places.find(stands) ?? [...at, 'needs'];
}

/** Every assumption is an open point of the register. */
export function openPointsAreKnown({ assumes, at }: ConcreteCase, { register }: LintContext): readonly Finding[] {
  const known = new Set(register.openPoints.map(({ id }) => id));
  return assumes.flatMap((id, index) =>
    known.has(id) ? [] : [{ at: [...at, 'assumes', index], message: unknownName('open point', id, known) }],
  );
}

/** A case that gates says what it would catch. */
export function mustLevelNamesDefects({ level, kills, generated, at }: ConcreteCase): readonly Finding[] {
  return level === 'must' && kills.length === 0 && generated !== true
    ? [{ at: [...at, 'id'], message: 'a must-level case names at least one defect it would catch under kills' }]
    : [];
}

/** What a case would catch is in the gallery. */
export function defectsAreKnown({ kills, at }: ConcreteCase, defects: ReadonlySet<string>): readonly Finding[] {
  return kills.flatMap((id, index) =>
    defects.has(id) ? [] : [{ at: [...at, 'kills', index], message: unknownName('defect', id, defects) }],
  );
}
