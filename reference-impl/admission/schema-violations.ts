import type { z } from 'zod';
import { isFields } from '../resources/groups.ts';
import { nearest } from './nearest.ts';
import { fieldsAt, noteAt } from './schema-tree.ts';
import type { Path, Violation } from './violation.ts';

/** A schema, the value it was asked about, and the clause that stands for every bound without one of its own. */
export interface Checked {
  readonly schema: z.core.$ZodType;
  readonly value: unknown;
  readonly tableClause?: string;
}

/** What the schema found, one violation for each field at fault. */
export function schemaViolations(checked: Checked, issues: readonly z.core.$ZodIssue[]): Violation[] {
  const told = issues.slice(0, MAX_TOLD).flatMap((issue) => violationsOf(checked, issue, pathOf(issue.path)));
  if (told.length <= MAX_TOLD && issues.length <= MAX_TOLD) return told;
  return [...told.slice(0, MAX_TOLD), violation([], `more is wrong; only the first ${MAX_TOLD} are told`, undefined)];
}

/** More help nobody, and each takes time: the known names nearest to an unknown one are searched. */
const MAX_TOLD = 1000;

/** A copy that lacks the fields the schema does not know. */
export function withoutUnknownFields(value: unknown, issues: readonly z.core.$ZodIssue[]): unknown {
  const copy: unknown = structuredClone(value);
  for (const issue of issues) {
    if (issue.code !== 'unrecognized_keys') continue;
    const owner = valueAt(copy, pathOf(issue.path));
    if (typeof owner === 'object' && owner !== null) for (const key of issue.keys) Reflect.deleteProperty(owner, key);
  }
  return copy;
}

function violationsOf(checked: Checked, issue: z.core.$ZodIssue, path: Path): Violation[] {
  const { schema, value: root } = checked;
  if (issue.code === 'unrecognized_keys') {
    const known = fieldsAt(schema, path);
    const clause = noteAt(schema, path, 'closed');
    // One more than will be told, so that it is seen that there is more.
    return issue.keys
      .slice(0, MAX_TOLD + 1)
      .map((key) => violation([...path, key], `unknown field ${JSON.stringify(key)}${nearest(key, known)}`, clause));
  }
  if (issue.code === 'invalid_union') return unionViolations(checked, issue, path);
  const clause = noteAt(schema, path, 'clause') ?? checked.tableClause;
  if (issue.code === 'invalid_key')
    return [violation(path, issue.issues.map((inner) => inner.message).join('; '), clause)];
  if (issue.code === 'custom') return [violation(path, issue.message, clauseOf(issue, clause))];
  if (valueAt(root, path) === undefined) return [missing(checked, path)];
  return [violation(path, plainMessage(issue), clause)];
}

/** Reports the branch that was meant; when each branch wants another type, all of them in one line. */
function unionViolations(checked: Checked, issue: z.core.$ZodIssueInvalidUnion, path: Path): Violation[] {
  const value = valueAt(checked.value, path);
  if (value === undefined) return [missing(checked, path)];
  const clause = noteAt(checked.schema, path, 'clause') ?? checked.tableClause;
  const [first, ...others] = issue.errors.filter((branch) => !lacksConditional(branch, value));
  if (first === undefined) return [violation(path, plainMessage(issue), clause)];
  if (others.length > 0) {
    const expected = [first, ...others].flatMap((branch) => branch.map(plainMessage));
    return [violation(path, [...new Set(expected)].join(', or '), clause)];
  }
  return first.flatMap((inner) => violationsOf(checked, inner, [...path, ...pathOf(inner.path)]));
}

/** The object that lacks a member says which clause demands it; else the clause of the member does. */
function missing({ schema, tableClause }: Checked, path: Path): Violation {
  const demanded = noteAt(schema, path.slice(0, -1), 'requires') ?? noteAt(schema, path, 'clause');
  return violation(path, 'required', demanded ?? tableClause);
}

function violation(path: Path, message: string, clause: string | undefined): Violation {
  return clause === undefined ? { path, message } : { path, message, clause };
}

/** The list form of a conditional policy is meant only where `conditional` is written; then the plain form is not. */
function lacksConditional(branch: readonly z.core.$ZodIssue[], value: unknown): boolean {
  const written = isFields(value) && value['conditional'] !== undefined;
  return branch.some((issue) =>
    written
      ? issue.code === 'unrecognized_keys' && issue.keys.includes('conditional')
      : issue.path.length === 1 && issue.path[0] === 'conditional',
  );
}

/** A rule of another standard has an empty clause; a bound written as a rule has none and is like the other bounds. */
function clauseOf(issue: z.core.$ZodIssueCustom, ofTheField: string | undefined): string | undefined {
  const clause: unknown = issue.params?.['clause'];
  if (clause === '') return undefined;
  return typeof clause === 'string' ? clause : ofTheField;
}

function plainMessage(issue: z.core.$ZodIssue): string {
  return issue.message
    .replace(/^Invalid (input: expected|option: expected one of)/, (_, found: string) =>
      found.startsWith('input') ? 'expected' : 'must be one of',
    )
    .replace(/^Too (small|big): /, '');
}

function valueAt(root: unknown, path: Path): unknown {
  let value = root;
  for (const step of path) {
    if (typeof value !== 'object' || value === null || !Object.hasOwn(value, step)) return undefined;
    value = Reflect.get(value, step);
  }
  return value;
}

function pathOf(path: readonly PropertyKey[]): Path {
  return path.map((step) => (typeof step === 'symbol' ? String(step) : step));
}
