import { readFileSync } from 'node:fs';
import path from 'node:path';
import { parse } from 'yaml';
import { z } from 'zod';
import { isList, isObject } from '../values/json.ts';
import type { JsonObject } from '../values/json.ts';
import { once } from '../values/once.ts';
import { packageRoot } from '../values/package-root.ts';
import { remembered } from '../values/remembered.ts';
import { foundationOf } from './features.ts';

/** The cases, or the one row of one, that show that it is taken and acts. */
const caseIds = z.array(z.string()).min(1);
/** The other foundations stand on it, too. */
const ground = z.literal(true).optional();

const foundationSchema = z.union([
  z.strictObject({
    /** A kind, and a path below the `spec` of its resources. */
    field: z.string().regex(/^[A-Z]\w+(\.[\w*]+)+$/),
    ground,
    shownBy: caseIds,
  }),
  z.strictObject({
    /** What no field tells: whoever stands on it says so in `requires`. */
    what: z.string(),
    ground,
    shownBy: caseIds,
  }),
]);

type Foundation = z.infer<typeof foundationSchema>;

/** Where the table of fields that many cases use stands, relative to the package. */
export const FOUNDATIONS_FILE = 'docs/spec/foundations.yaml';

const readFoundations = once((): readonly Foundation[] =>
  remembered('foundations', readFileSync(path.join(packageRoot(), FOUNDATIONS_FILE), 'utf8'), (text) =>
    z.array(foundationSchema).parse(parse(text)),
  ),
);

/** Ids of the cases that stand on nothing, whatever they need and set: everything else may stand on them. */
export const groundCases = once((): readonly string[] =>
  readFoundations().flatMap((foundation) => (foundation.ground === true ? foundation.shownBy : [])),
);

/** Ids of all cases that show a feature or a field: they stand on the ground alone. */
export const foundationCases = once((): readonly string[] => [
  ...foundationOf().values(),
  ...readFoundations().flatMap(({ shownBy }) => shownBy),
]);

/** Ids of the cases that show what fields of these resources do. */
export function shownByFields(resources: readonly JsonObject[]): readonly string[] {
  return readFoundations().flatMap((foundation) => {
    if (!('field' in foundation)) return [];
    const [kind, ...members] = foundation.field.split('.');
    return resources.some((one) => one['kind'] === kind && sets(one['spec'], members)) ? foundation.shownBy : [];
  });
}

function sets(value: unknown, [member, ...rest]: readonly string[]): boolean {
  if (isList(value) && member !== undefined && /^\d+$/.test(member)) return sets(value[Number(member)], rest);
  if (isList(value)) return value.some((item) => sets(item, member === undefined ? [] : [member, ...rest]));
  if (member === undefined) return value !== undefined;
  return isObject(value) && Object.hasOwn(value, member) && sets(value[member], rest);
}
