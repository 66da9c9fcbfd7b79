import { readFileSync } from 'node:fs';
import path from 'node:path';
import { parse } from 'yaml';
import { z } from 'zod';
import type { JsonObject } from '../values/json.ts';
import { once } from '../values/once.ts';
import { packageRoot } from '../values/package-root.ts';
import { remembered } from '../values/remembered.ts';
import { unknownName } from '../values/unknown-name.ts';
import { FIELD, rowsSetBy } from './fields-set.ts';

export const featureSchema = z.strictObject({
  id: z.string(),
  /** What an implementation that declares it can do. */
  text: z.string(),
  /** Cannot be `no` in a conformant report. */
  core: z.boolean().optional(),
  /** The case, or the one row of it, that shows that the feature acts at all: what needs the feature stands on it. */
  shownBy: z.string().optional(),
  /**
   * A part of the feature `of`: a case that needs that one, and whose resources set one of these fields, needs the part as well. Nobody who
   * writes a case has to say it, and nobody who has one half of a feature loses the cases of that half.
   */
  part: z.strictObject({ of: z.string(), setBy: z.array(z.string().regex(FIELD)).min(1) }).optional(),
});

/** Something an implementation may declare and a case may need. */
export type Feature = z.infer<typeof featureSchema>;

/** Where the table of features stands, relative to the package. */
export const FEATURES_FILE = 'docs/spec/features.yaml';

/** The table of features in its order. Throws an Error when it is not as it should be. */
export const readFeatures = once((): readonly Feature[] =>
  remembered('features', readFileSync(path.join(packageRoot(), FEATURES_FILE), 'utf8'), (text) =>
    z.array(featureSchema).parse(parse(text)),
  ),
);

/** The names of all features. */
export function featureIds(): readonly string[] {
  return readFeatures().map(({ id }) => id);
}

const parts = once(() => readFeatures().flatMap(({ id, part }) => (part === undefined ? [] : [{ id, ...part }])));

const partsSetBy = once(() => rowsSetBy(parts().map(({ setBy }) => setBy)));

/** Whether a case with these needs may need parts of them, which its resources say. */
export function hasParts(needs: readonly string[]): boolean {
  return parts().some(({ of }) => needs.includes(of));
}

/** The parts of these needs of which the resources set a field, in the order of the table. */
export function partsOf(needs: readonly string[], resources: readonly JsonObject[]): readonly string[] {
  return partsSetBy()(resources).flatMap((row) => {
    const part = parts()[row];
    return part !== undefined && needs.includes(part.of) ? [part.id] : [];
  });
}

/** By name of the feature, the id of the case that shows it. */
export const foundationOf = once(
  (): ReadonlyMap<string, string> =>
    new Map(readFeatures().flatMap(({ id, shownBy }) => (shownBy === undefined ? [] : [[id, shownBy] as const]))),
);

/** Names that no feature has, each with what to say about it. */
export function unknownFeatures(
  names: readonly string[],
): readonly { readonly name: string; readonly message: string }[] {
  const known = featureIds();
  return names
    .filter((name) => !known.includes(name))
    .map((name) => ({ name, message: `${unknownName('feature', name, known)} (conform list --features)` }));
}
