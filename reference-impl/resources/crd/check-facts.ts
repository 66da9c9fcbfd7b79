import type { z } from 'zod';
import type { Validation } from '../notes.ts';

/** Bounds and patterns of a schema as keywords of OpenAPI; several patterns stand in `allOf`. */
export function checkFacts(schema: z.core.$ZodType): Readonly<Record<string, unknown>> {
  const facts: Record<string, unknown> = {};
  const patterns: string[] = [];
  for (const check of definitionsOf(schema)) {
    const keyword = KEYWORDS[String(check['check'])];
    if (keyword !== undefined) facts[keyword] = check['minimum'] ?? check['maximum'] ?? check['value'];
    if (check['pattern'] instanceof RegExp) patterns.push(check['pattern'].source);
    Object.assign(facts, paramsOf(check)['bounds']);
  }
  const format = FORMATS[formatOf(schema)];
  if (format !== undefined) facts['format'] = format;
  if (patterns.length === 1) facts['pattern'] = patterns[0];
  if (patterns.length > 1) facts['allOf'] = patterns.map((pattern) => ({ pattern }));
  return listFacts(schema, facts);
}

/** The rules of a schema that are written in CEL too. */
export function validationsOf(schema: z.core.$ZodType): Validation[] {
  return definitionsOf(schema).flatMap((check) => {
    const { cel, message } = paramsOf(check);
    return typeof cel === 'string' && typeof message === 'string' ? [{ rule: cel, message }] : [];
  });
}

const KEYWORDS: Readonly<Record<string, string>> = {
  min_length: 'minLength',
  max_length: 'maxLength',
  greater_than: 'minimum',
  less_than: 'maximum',
};

const FORMATS: Readonly<Record<string, string>> = { datetime: 'date-time', base64: 'byte' };

function formatOf({ _zod: { def } }: z.core.$ZodType): string {
  return 'format' in def ? String(def.format) : '';
}

/** Lengths of lists have keywords of their own. */
function listFacts({ _zod: { def } }: z.core.$ZodType, facts: Record<string, unknown>): Record<string, unknown> {
  if (def.type !== 'array') return facts;
  const { minLength, maxLength, ...others } = facts;
  return {
    ...others,
    ...(minLength !== undefined && { minItems: minLength }),
    ...(maxLength !== undefined && { maxItems: maxLength }),
  };
}

function definitionsOf({ _zod: { def } }: z.core.$ZodType): Readonly<Record<string, unknown>>[] {
  return (def.checks ?? []).map(({ _zod: check }) => ({ ...check.def }));
}

function paramsOf(check: Readonly<Record<string, unknown>>): Readonly<Record<string, unknown>> {
  return typeof check['params'] === 'object' ? { ...check['params'] } : {};
}
