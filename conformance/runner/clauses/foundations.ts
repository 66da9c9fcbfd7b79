import { readFileSync } from 'node:fs';
import path from 'node:path';
import { parse } from 'yaml';
import { z } from 'zod';
import type { JsonObject } from '../values/json.ts';
import { LLM_FORMATS, type LlmFormat } from '../values/llm-format.ts';
import { once } from '../values/once.ts';
import { packageRoot } from '../values/package-root.ts';
import { remembered } from '../values/remembered.ts';
import { casesOfFeatures } from './features.ts';
import { FIELD, rowsSetBy } from './fields-set.ts';

/** The cases, or the one row of one, that show that it is taken and acts. */
const caseIds = z.array(z.string()).min(1);
/** The other foundations stand on it, too. */
const ground = z.literal(true).optional();

const field = z.string().regex(FIELD);

const foundationSchema = z.union([
  z.strictObject({
    /** Several where the same may be said in several places. */
    field: z.union([field, z.array(field).min(2)]),
    /** Only of cases that also ask for a model in this format. */
    asked: z.enum(LLM_FORMATS).optional(),
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
  ...casesOfFeatures(),
  ...readFoundations().flatMap(({ shownBy }) => shownBy),
]);

/** Ids of the cases that show what fields of these resources do when models are asked for in these formats, in the order of the table. */
export function shownByFields(resources: readonly JsonObject[], asked: readonly LlmFormat[] = []): readonly string[] {
  const foundations = readFoundations();
  return rowsOf()(resources).flatMap((row) => {
    const foundation = foundations[row];
    return foundation === undefined || !isAbout(foundation, asked) ? [] : foundation.shownBy;
  });
}

function isAbout(foundation: Foundation, asked: readonly LlmFormat[]): boolean {
  return !('asked' in foundation) || foundation.asked === undefined || asked.includes(foundation.asked);
}

const rowsOf = once(() =>
  rowsSetBy(readFoundations().map((foundation) => ('field' in foundation ? [foundation.field].flat() : []))),
);
