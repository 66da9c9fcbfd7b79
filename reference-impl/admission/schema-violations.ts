import type { z } from 'zod';
import { isFields } from '../resources/groups.ts';
import { nearest } from './nearest.ts';
import { fieldsAt } from './schema-tree.ts';
import type { Path, Violation } from './violation.ts';

/** What the schema found, one violation for each field at fault. */
export function schemaViolations(
  schema: z.core.$ZodType,
  value: unknown,
  issues: readonly z.core.$ZodIssue[],
): Violation[] {
  return issues.flatMap((issue) => violationsOf(schema, value, issue, pathOf(issue.path)));
}

function violationsOf(schema: z.core.$ZodType, root: unknown, issue: z.core.$ZodIssue, path: Path): Violation[] {
  if (issue.code === 'unrecognized_keys') {
    const known = fieldsAt(schema, path);
    return issue.keys.map((key) => ({
      path: [...path, key],
      message: `unknown field ${JSON.stringify(key)}${nearest(key, known)}`,
    }));
  }
  if (issue.code === 'invalid_union') return unionViolations(schema, root, issue, path);
  if (issue.code === 'invalid_key') return [{ path, message: issue.issues.map((inner) => inner.message).join('; ') }];
  if (issue.code === 'custom') return [{ path, message: issue.message, ...clauseOf(issue) }];
  return [{ path, message: valueAt(root, path) === undefined ? 'required' : plainMessage(issue) }];
}

/** Reports the branch that was meant; when each branch wants another type, all of them in one line. */
function unionViolations(
  schema: z.core.$ZodType,
  root: unknown,
  issue: z.core.$ZodIssueInvalidUnion,
  path: Path,
): Violation[] {
  const value = valueAt(root, path);
  if (value === undefined) return [{ path, message: 'required' }];
  const [first, ...others] = issue.errors.filter((branch) => !lacksConditional(branch, value));
  if (first === undefined) return [{ path, message: plainMessage(issue) }];
  if (others.length > 0) {
    const expected = [first, ...others].flatMap((branch) => branch.map(plainMessage));
    return [{ path, message: [...new Set(expected)].join(', or ') }];
  }
  return first.flatMap((inner) => violationsOf(schema, root, inner, [...path, ...pathOf(inner.path)]));
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

function clauseOf(issue: z.core.$ZodIssueCustom): { clause: string } | undefined {
  const clause: unknown = issue.params?.['clause'];
  return typeof clause === 'string' ? { clause } : undefined;
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
