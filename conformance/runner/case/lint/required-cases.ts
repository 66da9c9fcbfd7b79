import { unknownName } from '../../values/unknown-name.ts';
import type { ConcreteCase } from '../concrete-case.ts';
import type { Problem } from '../problem.ts';

/** Cases that stand on something that is no case, gates nothing, or stands too high. `all` is the whole suite. */
export function requiredCasesProblems(all: readonly ConcreteCase[]): readonly Problem[] {
  const byId = new Map([...Map.groupBy(all, ({ id }) => id), ...Map.groupBy(all, ({ baseId }) => baseId)]);
  const found = new Map<string, Problem>();
  for (const given of all) {
    for (const id of given.requires ?? []) {
      const message = problemOf(id, byId);
      if (message === undefined) continue;
      const path = [...given.at, 'id'];
      found.set(`${given.file} ${message}`, { file: given.file, message, path, position: given.position(path) });
    }
  }
  return [...found.values()];
}

function problemOf(id: string, byId: ReadonlyMap<string, readonly ConcreteCase[]>): string | undefined {
  const [required] = byId.get(id) ?? [];
  if (required === undefined) return `requires: ${unknownName('case', id, byId.keys())}`;
  if (required.level !== 'must') return `requires: ${id} gates nothing, so that nothing can stand on it`;
  const deeper = (required.requires ?? []).find((below) => (byId.get(below)?.[0]?.requires ?? []).length > 0);
  return deeper === undefined ? undefined : `requires: ${id} stands on ${deeper}, which stands on something itself`;
}
