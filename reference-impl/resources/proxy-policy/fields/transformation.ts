import { z } from 'zod';
import { atLeastOne } from '../../groups.ts';
import { celExpression, headerName, listOf, mapOf } from '../../scalars.ts';
import { orConditional } from './conditional.ts';

/** Sets the named header to the value of an expression; names may be pseudo-headers such as `:path` (XFORM-001, XFORM-002). */
const headerTransformation = z.strictObject({ name: headerName, value: celExpression });

const headerTransformations = listOf(headerTransformation, 1, 16).refine(
  (headers) => new Set(headers.map((header) => header.name.toLowerCase())).size === headers.length,
  'header names must be unique',
);

const transform = atLeastOne(
  z.strictObject({
    metadata: mapOf(celExpression, 1, 16).exactOptional(),
    add: headerTransformations.exactOptional(),
    set: headerTransformations.exactOptional(),
    remove: listOf(headerName, 1, 16)
      .refine(
        (names) => new Set(names.map((name) => name.toLowerCase())).size === names.length,
        'header names must be unique',
      )
      .exactOptional(),
    body: celExpression.exactOptional(),
  }),
  'VERSION-008',
  'metadata',
  'add',
  'set',
  'remove',
  'body',
);

/** Runs metadata, add, set, remove, body, in this order. */
export const transformation = atLeastOne(
  z.strictObject({ request: transform.exactOptional(), response: transform.exactOptional() }),
  'VERSION-008',
  'request',
  'response',
);

export const transformationOrConditional = orConditional(transformation);

export type HeaderTransformation = z.infer<typeof headerTransformation>;
export type Transform = z.infer<typeof transform>;
export type Transformation = z.infer<typeof transformation>;
export type TransformationOrConditional = z.infer<typeof transformationOrConditional>;
