import path from 'node:path';
import type { ConcreteCase } from '../../../conformance/runner/case/concrete-case.ts';
import { readSources } from '../../../conformance/runner/gallery/declarations.ts';
import { readGallery } from '../../../conformance/runner/gallery/defects.ts';
import { locateEdits } from '../../../conformance/runner/gallery/locate-edits.ts';

const GALLERY = 'conformance/gallery';

/** Cases that kill a defect of the gallery, by the file that the defect changes. */
export async function noticedChanges(
  root: string,
  cases: readonly ConcreteCase[],
): Promise<ReadonlyMap<string, ReadonlySet<string>>> {
  const [sources, { defects }] = await Promise.all([readSources(root), readGallery(path.join(root, GALLERY), GALLERY)]);
  const filesOf = new Map(
    defects.map(({ id, edits }) => [id, locateEdits(edits, sources).replacements.map(({ file }) => file)]),
  );
  const noticed = new Map<string, Set<string>>();
  for (const { id, kills } of cases)
    for (const file of kills.flatMap((defect) => filesOf.get(defect) ?? []))
      noticed.set(file, (noticed.get(file) ?? new Set()).add(id));
  return noticed;
}
