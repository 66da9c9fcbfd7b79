import { z } from 'zod';
import { parseDuration } from '../sut/duration.ts';

const placeholder = z.string().regex(/\$\{/, 'expected a value of this kind or a placeholder such as "${row.x}"');

/**
 * A schema that also takes a text with a placeholder: before interpolation `"${row.status}"` stands where a number will be.
 * After interpolation the same schema is used again, and a placeholder that is still there is an authoring error.
 */
export function orPlaceholder<T extends z.ZodType>(schema: T): z.ZodUnion<[T, z.ZodString]> {
  return z.union([schema, placeholder]);
}

/** Metadata of a value in which matchers may stand, at any depth: the published schema offers them there. */
export const MATCHERS_MARK = { matchers: true } as const;

/** Metadata of the schema of a step: the published schema describes there what each kind may expect. */
export const STEP_MARK = { kindsOfStep: true } as const;

/** A duration as cases and manifests write it: `250ms`, `2s`, `1m`. */
export const durationText = z
  .string()
  .refine(
    (text) => parseDuration(text) !== undefined || text.includes('${'),
    'expected a duration such as 250ms or 2s',
  );

/** An object of expectations: the named keys and no other, at least one of them. */
export function expectations(keys: readonly string[]): z.ZodType<Readonly<Record<string, unknown>>> {
  const shape = Object.fromEntries(keys.map((key) => [key, z.unknown().optional()]));
  return z
    .strictObject(shape)
    .refine((value) => Object.keys(value).length > 0, 'expect needs at least one expectation');
}
