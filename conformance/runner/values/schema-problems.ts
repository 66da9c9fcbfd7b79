import { z } from 'zod';
import type { Path } from './check.ts';
import { isList, isObject } from './json.ts';
import type { JsonObject } from './json.ts';
import { nearest } from './nearest.ts';
import { show } from './show.ts';

/** What a schema has against a value, in words an author can act on. `key` means the key is wrong, not its value. */
export interface SchemaProblem {
  readonly path: Path;
  readonly key: boolean;
  readonly message: string;
}

type Issue = z.core.$ZodIssue;

/** What a kind of file knows beyond its schema. */
export interface SchemaHints {
  /** Keys that may stand in any object. */
  readonly everywhere?: readonly string[];
  /** Nothing is known yet of this value, so what the schema says of it is left out. */
  readonly isUndecided?: (value: unknown) => boolean;
  /** The keys that are known where a check of the schema's own failed; undefined when the issue is about something else. */
  readonly expected?: (issue: Issue, siblings: unknown) => ExpectedKeys | undefined;
}

/** Keys that are wrong, and those that would be right. */
export interface ExpectedKeys {
  readonly wrong: readonly string[];
  readonly known: readonly string[];
}

interface Checked {
  readonly schema: z.ZodType;
  readonly root: unknown;
  readonly hints: SchemaHints;
}

/** Everything a schema has against a value; empty when it has nothing. A misspelt key is answered with the one that was meant. */
export function schemaProblems(schema: z.ZodType, value: unknown, hints: SchemaHints = {}): readonly SchemaProblem[] {
  const answer = schema.safeParse(value);
  if (answer.success) return [];
  const problems = answer.error.issues.flatMap((issue) => fromIssue(issue, [], { schema, root: value, hints }));
  return problems.filter((problem, index) => index === problems.findIndex((other) => sameProblem(other, problem)));
}

function sameProblem(left: SchemaProblem, right: SchemaProblem): boolean {
  return left.message === right.message && left.path.join('/') === right.path.join('/');
}

function fromIssue(issue: Issue, base: Path, checked: Checked): readonly SchemaProblem[] {
  const { schema, root, hints } = checked;
  const path = [...base, ...issue.path.map((segment) => (typeof segment === 'number' ? segment : String(segment)))];
  if (hints.isUndecided?.(valueAt(root, path)) === true) return [];
  if (issue.code === 'invalid_union') return fromUnion(issue, path, checked);
  if (issue.code === 'unrecognized_keys') {
    const wrong = issue.keys.filter((key) => hints.everywhere?.includes(key) !== true);
    return unknownKeys(path, { wrong, known: knownKeys(schema, path) });
  }
  const expected = hints.expected?.(issue, valueAt(root, path.slice(0, -1)));
  if (expected !== undefined) return unknownKeys(path, expected);
  if (issue.code === 'invalid_key') return [{ path, key: true, message: messagesOf(issue.issues) }];
  return [{ path, key: false, message: withActual(issue, valueAt(root, path)) }];
}

function unknownKeys(path: Path, { wrong, known }: ExpectedKeys): readonly SchemaProblem[] {
  return wrong.map((key) => ({ path: [...path, key], key: true, message: unknownKey(key, known) }));
}

// A union fails with one list per branch. A branch in which only undecided values are in the way means that all is well;
// the branch that got deepest is the one that was meant.
function fromUnion(
  issue: Extract<Issue, { code: 'invalid_union' }>,
  path: Path,
  checked: Checked,
): readonly SchemaProblem[] {
  const branches = issue.errors.map((errors) => errors.flatMap((inner) => fromIssue(inner, path, checked)));
  if (branches.some((branch) => branch.length === 0)) return [];
  const whole = { path, key: false, message: withActual(issue, valueAt(checked.root, path)) };
  const meant = branches.filter((branch) => branch.every((problem) => problem.path.length > path.length));
  const best = meant.toSorted((left, right) => left.length - right.length)[0];
  return best === undefined ? [whole] : best;
}

function valueAt(root: unknown, path: Path): unknown {
  return path.reduce<unknown>((value, segment) => {
    if (isList(value)) return value[Number(segment)];
    return isObject(value) ? value[String(segment)] : undefined;
  }, root);
}

function withActual(issue: Issue, actual: unknown): string {
  const text = issue.message.replace(/^Invalid input: /, '').replace(/, received \w+$/, '');
  if (actual === undefined) return issue.code === 'invalid_type' ? `required, ${text}` : text;
  return issue.code === 'custom' ? text : `${text}, got ${show(actual, 80)}`;
}

function messagesOf(issues: readonly Issue[]): string {
  return issues.map((issue) => issue.message).join('; ');
}

function unknownKey(key: string, known: readonly string[]): string {
  const hint = nearest(key, known);
  if (hint !== undefined) return `unknown key "${key}", did you mean "${hint}"?`;
  return known.length === 0 ? `unknown key "${key}"` : `unknown key "${key}"; known are ${known.join(', ')}`;
}

const jsonSchemas = new WeakMap<z.ZodType, unknown>();

/** The keys the schema knows at a path: its JSON Schema is walked, since zod names only the wrong key. */
function knownKeys(schema: z.ZodType, path: Path): readonly string[] {
  if (!jsonSchemas.has(schema))
    jsonSchemas.set(schema, z.toJSONSchema(schema, { io: 'input', unrepresentable: 'any' }));
  const root = jsonSchemas.get(schema);
  const ends = path.reduce<readonly JsonObject[]>(
    (nodes, segment) => nodes.flatMap((node) => descend(node, segment, root)),
    alternatives(root, root),
  );
  return [...new Set(ends.flatMap((node) => (isObject(node['properties']) ? Object.keys(node['properties']) : [])))];
}

function descend(node: JsonObject, segment: string | number, root: unknown): readonly JsonObject[] {
  const { properties, items, additionalProperties } = node;
  if (typeof segment === 'number') return alternatives(items, root);
  const named = isObject(properties) ? properties[segment] : undefined;
  return alternatives(named ?? additionalProperties, root);
}

function alternatives(node: unknown, root: unknown): readonly JsonObject[] {
  if (!isObject(node)) return [];
  const { $ref, anyOf, oneOf, allOf } = node;
  if (typeof $ref === 'string') {
    const path = $ref
      .replace(/^#\/?/, '')
      .split('/')
      .filter((segment) => segment !== '');
    return alternatives(valueAt(root, path), root);
  }
  const branches = [anyOf, oneOf, allOf].flatMap((branch) => (isList(branch) ? branch : []));
  return branches.length === 0 ? [node] : branches.flatMap((branch) => alternatives(branch, root));
}
