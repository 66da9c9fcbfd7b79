import type { z } from 'zod';
import { kindOf, stepKinds } from '../steps/registry.ts';
import { isList, isObject } from '../values/json.ts';
import { schemaProblems, type ExpectedKeys, type SchemaHints, type SchemaProblem } from '../values/schema-problems.ts';
import { caseFileSchema } from './schema.ts';

/** What stands for a value that nobody knows yet. */
const WRITTEN = ['~if', '~fill', '~list', '~members'];

const HINTS: SchemaHints = { everywhere: WRITTEN, isUndecided, expected: expectationKeys };

/**
 * Checks a case file that may still hold placeholders: where `${…}`, `~if`, `~fill`, `~list` or `~members` stands nothing is known yet,
 * so what the schema says there is left out.
 */
export function caseProblems(file: unknown): readonly SchemaProblem[] {
  return schemaProblems(caseFileSchema, file, HINTS);
}

function isUndecided(value: unknown): boolean {
  if (typeof value === 'string') return /(^|[^$])\$\{/.test(value);
  return isObject(value) && WRITTEN.some((form) => form in value);
}

// What a step expects is checked by the kind of the step, which only that step's other members tell.
function expectationKeys(issue: z.core.$ZodIssue, step: unknown): ExpectedKeys | undefined {
  if (issue.code !== 'custom' || !isObject(issue.params?.['issue'])) return undefined;
  const { keys } = issue.params['issue'];
  const known = stepKinds[(isObject(step) ? kindOf(step) : undefined) ?? '']?.expectKeys;
  return !isList(keys) || known === undefined ? undefined : { wrong: keys.map(String), known };
}
