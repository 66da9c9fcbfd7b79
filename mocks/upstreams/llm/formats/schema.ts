import { z } from 'zod';
import type { Json } from '../../../json.ts';
import type { Problem } from './format.ts';

/** The first thing that is wrong with a request, with its place written as providers write it. */
export function schemaProblem(schema: z.ZodType, request: Json): Problem | undefined {
  const issue = schema.safeParse(request).error?.issues[0];
  if (issue === undefined) return undefined;
  const found = deepest(issue);
  const unknown = found.code === 'unrecognized_keys' ? found.keys[0] : undefined;
  const param = placeOf(unknown === undefined ? found.path : [...found.path, unknown]);
  if (unknown !== undefined) return problem(`Unknown parameter: '${param}'.`, param, 'unknown_parameter');
  if (found.code === 'invalid_type' && lookup(request, found.path) === undefined) {
    return problem(`Missing required parameter: '${param}'.`, param, 'missing_required_parameter');
  }
  const code = found.code === 'invalid_type' ? 'invalid_type' : 'invalid_value';
  return problem(`Invalid value for '${param}': ${found.message}.`, param, code);
}

/** A refusal with status 400. */
export function problem(message: string, param?: string, code?: string): Problem {
  return { status: 400, message, param, code };
}

/** Free-form JSON objects: schemas of tools, their input. */
export const anyObject = z.record(z.string(), z.unknown());

/** In a union without a discriminator the branch that came furthest tells what was meant. */
function deepest(issue: z.core.$ZodIssue): z.core.$ZodIssue {
  if (issue.code !== 'invalid_union') return issue;
  const candidates = issue.errors.flatMap((branch) => branch.slice(0, 1)).map((one) => deepest(one));
  const best = candidates.toSorted((one, other) => other.path.length - one.path.length)[0];
  if (best === undefined || best.path.length === 0) return issue;
  return { ...best, path: [...issue.path, ...best.path] };
}

function placeOf(path: readonly PropertyKey[]): string {
  return path.reduce<string>((place, key) => {
    if (typeof key === 'number') return `${place}[${key}]`;
    return place === '' ? String(key) : `${place}.${String(key)}`;
  }, '');
}

function lookup(value: unknown, path: readonly PropertyKey[]): unknown {
  return path.reduce<unknown>((at, key) => {
    if (typeof at !== 'object' || at === null) return undefined;
    return Object.entries(at).find(([name]) => name === String(key))?.[1];
  }, value);
}
