import { jsonObjectOf } from '../../../base/json.ts';
import type { Fields } from '../../../resources/groups.ts';
import type { KindName } from '../../../resources/kinds.ts';
import { shapeOf } from '../../../resources/merging/merge-keys.ts';
import { strategicMerge } from '../../../resources/merging/strategic-merge.ts';

/** The patched object, without members when the patch deletes it; `refused` when a directive cannot be followed. */
export function strategicMergePatch(
  kind: KindName,
  target: Fields,
  patch: Fields,
): { readonly value: Fields } | { readonly refused: string } {
  const problems: string[] = [];
  const merged = strategicMerge(jsonObjectOf(target), jsonObjectOf(patch), shapeOf(kind), {
    nulls: 'remove',
    dialect: 'patch',
    problem: (path, message) => problems.push(`${path}: ${message}`),
  });
  return problems.length > 0 ? { refused: problems.join('; ') } : { value: merged ?? {} };
}
