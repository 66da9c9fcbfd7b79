import { z } from 'zod';
import { kindOf, stepKinds } from '../steps/registry.ts';
import type { Path } from '../values/check.ts';
import { isList, isObject } from '../values/json.ts';
import type { JsonObject } from '../values/json.ts';
import { nearest } from '../values/nearest.ts';
import { show } from '../values/show.ts';

/** What a schema has against a value, in words an author can act on. `key` means the key is wrong, not its value. */
export interface SchemaProblem {
  readonly path: Path;
  readonly key: boolean;
  readonly message: string;
}

type Issue = z.core.$ZodIssue;

/**
 * Checks a value that may still hold placeholders: where `${…}`, `~if` or `~fill` stands nothing is known yet,
 * so what the schema says there is left out.
 */
export function schemaProblems(schema: z.ZodType, value: unknown): readonly SchemaProblem[] {
  const answer = schema.safeParse(value);
  if (answer.success) return [];
  const problems = answer.error.issues.flatMap((issue) => fromIssue(issue, [], value, schema));
  return problems.filter((problem, index) => index === problems.findIndex((other) => sameProblem(other, problem)));
}

function sameProblem(left: SchemaProblem, right: SchemaProblem): boolean {
  return left.message === right.message && left.path.join('/') === right.path.join('/');
}

function fromIssue(issue: Issue, base: Path, root: unknown, schema: z.ZodType): readonly SchemaProblem[] {
  const path = [...base, ...issue.path.map((segment) => (typeof segment === 'number' ? segment : String(segment)))];
  if (isUndecided(path, root)) return [];
  if (issue.code === 'invalid_union') return fromUnion(issue, path, root, schema);
  if (issue.code === 'unrecognized_keys') {
    return issue.keys
      .filter((key) => key !== '~if' && key !== '~fill')
      .map((key) => ({ path: [...path, key], key: true, message: unknownKey(key, knownKeys(schema, path)) }));
  }
  const stepIssue = expectationIssue(issue, path, root);
  if (stepIssue !== undefined) return stepIssue;
  if (issue.code === 'invalid_key') return [{ path, key: true, message: messagesOf(issue.issues) }];
  return [{ path, key: false, message: withActual(issue, valueAt(root, path)) }];
}

// What a step expects is checked by the kind of the step, which only that step's other members tell.
function expectationIssue(issue: Issue, path: Path, root: unknown): readonly SchemaProblem[] | undefined {
  if (issue.code !== 'custom' || !isObject(issue.params?.['issue'])) return undefined;
  const { keys } = issue.params['issue'];
  const step = valueAt(root, path.slice(0, -1));
  const known = stepKinds[(isObject(step) ? kindOf(step) : undefined) ?? '']?.expectKeys;
  if (!isList(keys) || known === undefined) return undefined;
  return keys.map((key) => ({ path: [...path, String(key)], key: true, message: unknownKey(String(key), known) }));
}

// A union fails with one list per branch. A branch in which only placeholders are in the way means that all is well;
// the branch that got deepest is the one that was meant.
function fromUnion(
  issue: Extract<Issue, { code: 'invalid_union' }>,
  path: Path,
  root: unknown,
  schema: z.ZodType,
): readonly SchemaProblem[] {
  const branches = issue.errors.map((errors) => errors.flatMap((inner) => fromIssue(inner, path, root, schema)));
  if (branches.some((branch) => branch.length === 0)) return [];
  const whole = { path, key: false, message: withActual(issue, valueAt(root, path)) };
  const meant = branches.filter((branch) => branch.every((problem) => problem.path.length > path.length));
  const best = meant.toSorted((left, right) => left.length - right.length)[0];
  return best === undefined ? [whole] : best;
}

function isUndecided(path: Path, root: unknown): boolean {
  const value = valueAt(root, path);
  if (typeof value === 'string') return /(^|[^$])\$\{/.test(value);
  return isObject(value) && ('~if' in value || '~fill' in value);
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
