import { readFileSync } from 'node:fs';
import path from 'node:path';
import { parse } from 'yaml';
import { z } from 'zod';
import { isObject, type JsonObject } from '../values/json.ts';
import { once } from '../values/once.ts';
import { packageRoot } from '../values/package-root.ts';
import { remembered } from '../values/remembered.ts';
import { unknownName } from '../values/unknown-name.ts';
import { FIELD, rowsSetBy } from './fields-set.ts';

const FEATURE_FIELD = new RegExp(`${FIELD.source}|^backend(\\.\\w+)+$`);

export const featureSchema = z.strictObject({
  id: z.string(),
  /** What an implementation that declares it can do. */
  text: z.string(),
  /** Cannot be `no` in a conformant report. */
  core: z.boolean().optional(),
  /** The case, or the one row of it, that shows that the feature acts at all: what needs the feature stands on it. */
  shownBy: z.string().optional(),
  /** The one that shows it where models are asked for: a gateway of models may do for them what it does for no other backend. */
  shownForModelsBy: z.string().optional(),
  /**
   * What nobody does without the feature: a case whose configuration sets one of these fields needs it. Nobody who writes a case has to say
   * it. A field that begins with `backend` is one of the policies of a backend, in each of the places that these have.
   */
  setBy: z.array(z.string().regex(FEATURE_FIELD)).min(1).optional(),
  /** The feature that this one is a part of: nobody who has one half of that loses the cases of this half. */
  partOf: z.string().optional(),
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

const rowsOf = once(() => rowsSetBy(readFeatures().map(({ setBy = [] }) => setBy.flatMap(placesOf))));

function placesOf(field: string): readonly string[] {
  return field.startsWith('backend.') ? POLICIES_OF_BACKENDS.map((place) => field.replace('backend', place)) : [field];
}

const POLICIES_OF_BACKENDS = [
  'ProxyPolicy.backend',
  'ProxyBackend.policies',
  'ProxyBackend.ai.groups.providers.policies',
  'ProxyBackend.mcp.targets.static.policies',
  'ProxyModel.policies',
];

/** The features of which the resources set a field, in the order of the table. */
export function featuresSetBy(resources: readonly JsonObject[]): readonly string[] {
  return rowsOf()(resources).flatMap((row) => readFeatures()[row]?.id ?? []);
}

/** Whether a case with these needs may need parts of them, which its resources say. */
export function hasParts(needs: readonly string[]): boolean {
  return [...wholes().values()].some((whole) => needs.includes(whole));
}

/** The parts of these needs of which the resources set a field, in the order of the table. */
export function partsOf(needs: readonly string[], resources: readonly JsonObject[]): readonly string[] {
  const set = featuresSetBy(resources);
  return set.filter((id) => needs.includes(wholes().get(id) ?? ''));
}

const wholes = once(
  (): ReadonlyMap<string, string> =>
    new Map(readFeatures().flatMap(({ id, partOf }) => (partOf === undefined ? [] : [[id, partOf] as const]))),
);

/** The parts of each feature that has some. */
export const partsByWhole = once(
  (): ReadonlyMap<string, readonly string[]> =>
    new Map([...Map.groupBy(wholes(), ([, whole]) => whole)].map(([whole, parts]) => [whole, parts.map(([id]) => id)])),
);

/** Ids of all cases that show a feature. */
export const casesOfFeatures = once((): readonly string[] =>
  readFeatures().flatMap(({ shownBy, shownForModelsBy }) => [shownBy ?? [], shownForModelsBy ?? []].flat()),
);

/** Ids of the cases that show that these features act on what the resources set up, in the order of the features. */
export function shownByFeatures(needs: readonly string[], resources: readonly JsonObject[]): readonly string[] {
  const forModels = resources.some(setsUpModels);
  return needs.flatMap((need) => {
    const { shownBy, shownForModelsBy } = featuresById().get(need) ?? {};
    return (forModels ? shownForModelsBy : undefined) ?? shownBy ?? [];
  });
}

const featuresById = once(
  (): ReadonlyMap<string, Feature> => new Map(readFeatures().map((feature) => [feature.id, feature])),
);

function setsUpModels({ kind, spec }: JsonObject): boolean {
  return kind === 'ProxyModel' || (kind === 'ProxyBackend' && isObject(spec) && spec['ai'] !== undefined);
}

/** Names that no feature has, each with what to say about it. */
export function unknownFeatures(
  names: readonly string[],
): readonly { readonly name: string; readonly message: string }[] {
  const known = featureIds();
  return names
    .filter((name) => !known.includes(name))
    .map((name) => ({ name, message: `${unknownName('feature', name, known)} (conform list --features)` }));
}
