import path from 'node:path';
import { readSources } from '../../gallery/declarations.ts';
import { readGallery } from '../../gallery/defects.ts';
import { once } from '../../values/once.ts';
import { packageRoot } from '../../values/package-root.ts';

/** Every defect of the package, read once for all the tests of a process: that takes a second of a CPU. */
export const wholeGallery = once(async () =>
  readGallery(path.join(packageRoot(), 'conformance/gallery'), 'conformance/gallery'),
);

/** The sources of the reference, read once. */
export const referenceSources = once(async () => readSources(packageRoot()));
