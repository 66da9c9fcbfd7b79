import { readFileSync } from 'node:fs';
import path from 'node:path';
import { parse } from 'yaml';
import { z } from 'zod';
import { once } from '../once.ts';
import { packageRoot } from '../package-root.ts';

/** The open point an implementation answers with the names it has: `all`, or a list. */
export const NAMES_ANSWER = 'U-041';

/** Where the table lies, relative to the package. */
export const VOCABULARY_FILE = 'conformance/cases/_expressions/vocabulary.yaml';

const tableSchema = z.strictObject({
  /** Paths of the fields that hold expressions, as a dialect writes them. */
  places: z.array(z.string()).min(1),
  /** Those among them whose value becomes a header. */
  headers: z.array(z.string()),
  /** Functions and methods of CEL itself. */
  standard: z.array(z.string()).min(1),
  /** Names the documents use, and where. */
  documented: z.record(z.string(), z.string()),
  /** Names they do not use: what says whether an implementation has them. */
  others: z.record(
    z.string(),
    z.union([z.strictObject({ probe: z.string() }), z.strictObject({ feature: z.string() })]),
  ),
});

/** What is known of a name the documents do not use: a case that shows it, or the feature that promises it. */
export type Origin = { readonly probe: string } | { readonly feature: string };

/** What expressions may name. */
export interface Vocabulary {
  readonly places: readonly string[];
  /** Places whose value becomes a header. */
  readonly headers: readonly string[];
  /** The name of the table under which a name of an expression falls (`jwt` for `jwt.sub`), and what is known of it. */
  readonly find: (name: string) => KnownName | undefined;
  /** The names the documents do not use, with what says whether they are there. */
  readonly others: Readonly<Record<string, Origin>>;
}

/** A row of the table. */
export interface KnownName {
  readonly name: string;
  /** Absent for a name of the documents or of CEL itself. */
  readonly origin?: Origin;
}

/** The table of this package. Throws when it cannot be read. */
export const vocabulary: () => Vocabulary = once(() =>
  vocabularyFrom(parse(readFileSync(path.join(packageRoot(), VOCABULARY_FILE), 'utf8'))),
);

/** Base ids of the cases that show a name. */
export function probeIds(): readonly string[] {
  return Object.values(vocabulary().others).flatMap((origin) => ('probe' in origin ? [origin.probe] : []));
}

/** A vocabulary from its data. Throws ZodError. */
export function vocabularyFrom(data: unknown): Vocabulary {
  const { places, headers, standard, documented, others } = tableSchema.parse(data);
  const known = new Map<string, Origin | undefined>([
    ...[...standard, ...Object.keys(documented)].map((name) => [name, undefined] as const),
    ...Object.entries(others),
  ]);
  return {
    places,
    headers,
    others,
    find: (name) => {
      const found = beginnings(name).find((beginning) => known.has(beginning));
      if (found === undefined) return undefined;
      const origin = known.get(found);
      return { name: found, ...(origin === undefined ? {} : { origin }) };
    },
  };
}

/** The longest first: `a.b.c`, `a.b`, `a`. A function has only itself. */
function beginnings(name: string): readonly string[] {
  if (name.endsWith('()')) return [name];
  const parts = name.split('.');
  return parts.map((_, index) => parts.slice(0, parts.length - index).join('.'));
}
