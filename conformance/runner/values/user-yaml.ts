import type { z } from 'zod';
import { schemaProblems, type SchemaProblem } from './schema-problems.ts';
import { readDocument, type SourceDocument } from './source-document.ts';

/** A YAML file of a user that is as its schema wants it, or everything that is wrong with it as `FILE:LINE:COL PATH: MESSAGE`. */
export type UserYaml<Value> =
  | { readonly value: Value; readonly source: SourceDocument }
  | { readonly problems: readonly [string, ...string[]] };

/** A text, the name of its file, and how to speak of it. */
export interface YamlText {
  readonly file: string;
  readonly text: string;
  readonly whole: string;
  readonly empty?: unknown;
}

/**
 * Checks the text of a YAML file; `more` finds what a schema cannot say. Never throws. `whole` stands in messages where the path
 * is empty, `empty` for a file that holds nothing.
 */
export function checkUserYaml<Value>(
  { file, text, whole, empty }: YamlText,
  schema: z.ZodType<Value>,
  more: (value: Value) => readonly SchemaProblem[] = () => [],
): UserYaml<Value> {
  const source = readSource(file, text);
  if (typeof source === 'string') return { problems: [source] };
  const say = ({ path, key, message }: SchemaProblem): string =>
    `${placeIn(source, path, key ? 'key' : undefined)} ${path.join('.') || whole}: ${message}`;
  const [syntax] = source.errors;
  if (syntax !== undefined) {
    const { line, column } = syntax.position;
    return { problems: [`${file}:${line}:${column} ${syntax.message}`] };
  }
  const value = source.value ?? empty;
  const answer = schema.safeParse(value);
  const found = (answer.success ? more(answer.data) : schemaProblems(schema, value)).map(say);
  const [first, ...others] = found;
  if (first !== undefined) return { problems: [first, ...others] };
  return answer.success ? { value: answer.data, source } : { problems: [`${file}: ${answer.error.message}`] };
}

/** `FILE:LINE:COL` of a path in a document. */
export function placeIn({ file, position }: SourceDocument, path: readonly (string | number)[], key?: 'key'): string {
  const { line, column } = position(path, key);
  return `${file}:${line}:${column}`;
}

// Anchors that stand for more than a reader would bear are thrown out of the parser.
function readSource(file: string, text: string): SourceDocument | string {
  try {
    return readDocument(file, text);
  } catch (error) {
    return `${file}: ${error instanceof Error ? error.message : String(error)}`;
  }
}
