import { readFileSync } from 'node:fs';
import path from 'node:path';
import { z } from 'zod';
import { globExpression } from '../../values/glob.ts';
import { UsageFault } from '../../sut/session.ts';
import { once } from '../../values/once.ts';
import { packageRoot } from '../../values/package-root.ts';
import { remembered } from '../../values/remembered.ts';
import { schemaProblems } from '../../values/schema-problems.ts';
import { readDocument } from '../../values/source-document.ts';
import { formatProblem } from '../problem.ts';

const named = z.record(z.string(), z.unknown());

const place = z.strictObject({
  at: z.string(),
  needs: z.array(z.string()).optional(),
  assumes: z.array(z.string()).optional(),
});

const length = z.strictObject({
  prefix: z.string().default(''),
  fill: z.string().default('a'),
  suffix: z.string().default(''),
  /** Edges that say nothing here: a text of the greatest length may have a form that is refused for what it means. */
  never: z.array(z.enum(['min', 'max'])).default([]),
});

const fragmentsSchema = z.strictObject({
  /** Where a building block stands that no row of the table names, as `Kind.path`. */
  places: z.record(z.string(), z.union([z.string().transform((at) => ({ at })), place])).default({}),
  /** A small valid value of a type, or of a field as `Kind.path`; `#` becomes the number of the item. */
  values: named.default({}),
  /** Other members a value needs beside it, by `Kind.path` or `Kind.path=value`; null takes one away. */
  with: z.record(z.string(), named).default({}),
  /** How a text of a given length is made, by type or field. */
  lengths: z.record(z.string(), length).default({}),
  /** A name of an entry of a map, by field; `#` becomes its number. Without it names are `k0`, `k1` and so on. */
  keys: z.record(z.string(), z.string()).default({}),
  /** Texts of the right and of the wrong form, by type or field, each with a name. */
  forms: z.record(z.string(), z.strictObject({ good: named.default({}), bad: named.default({}) })).default({}),
  /** Rows that are left out, as globs over `Kind.path[row]`, each with the reason. */
  skip: z.array(z.strictObject({ rows: z.string(), because: z.string().min(10) })).default([]),
});

/** What the table of fields cannot say: small valid values, places, texts of the right and the wrong form. */
export type Fragments = z.infer<typeof fragmentsSchema>;

const FILE = 'conformance/cases/resources/_fragments/fragments.yaml';

/** The fragments of this package. Throws UsageFault with every mistake as FILE:LINE:COL. */
export const fragments = once(() => {
  const text = readFileSync(path.join(packageRoot(), FILE), 'utf8');
  return remembered('fragments', text, (written) => readFragments(FILE, written));
});

/** Fragments from the text of a file. Throws UsageFault with every mistake as FILE:LINE:COL. */
export function readFragments(file: string, text: string): Fragments {
  const { value, errors, position } = readDocument(file, text);
  const problems = [
    ...errors.map((error) => ({ file, path: [], ...error })),
    ...(errors.length > 0 ? [] : schemaProblems(fragmentsSchema, value)).map(({ path: at, key, message }) => ({
      file,
      message,
      path: at,
      position: position(at, key ? 'key' : undefined),
    })),
  ];
  if (problems.length > 0) throw new UsageFault(problems.map(formatProblem).join('\n'));
  return fragmentsOf(value);
}

/** Fragments from parsed YAML. Throws a ZodError. */
export function fragmentsOf(content: unknown): Fragments {
  return fragmentsSchema.parse(content);
}

/** A predicate over `Kind.path[row]` that is true where a row is left out. */
export function skips(given: Fragments): (row: string) => boolean {
  const expressions = given.skip.map(({ rows }) => globExpression(rows));
  return (row) => expressions.some((expression) => expression.test(row));
}
