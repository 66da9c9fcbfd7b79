import { z } from 'zod';
import { atLeastOne } from '../../groups.ts';
import { celExpression, headerName, listOf, mapOf } from '../../scalars.ts';
import { orConditional } from './conditional.ts';

/** Sets the named header to the value of an expression; names may be pseudo-headers such as `:path` (XFORM-001, XFORM-002). */
const headerTransformation = z.strictObject({ name: headerName, value: celExpression });

const headerTransformations = listOf(headerTransformation, 1, 16).refine(
  (headers) => areUnique(headers.map((header) => header.name)),
  uniqueness('.name'),
);

const headerNames = listOf(headerName, 1, 16).refine(areUnique, uniqueness(''));

/** At least one step; up to 16 headers in each (choices 7.2). */
const transform = atLeastOne(
  z.strictObject({
    metadata: mapOf(celExpression, 1, 16).exactOptional(),
    add: headerTransformations.exactOptional(),
    set: headerTransformations.exactOptional(),
    remove: headerNames.exactOptional(),
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

/** Header names are the same in any case. */
function areUnique(names: readonly string[]): boolean {
  return new Set(names.map((name) => name.toLowerCase())).size === names.length;
}

function uniqueness(member: string): { error: string; params: { message: string; cel: string } } {
  const message = 'header names must be unique';
  const cel = `self.all(one, self.exists_one(other, other${member}.lowerAscii() == one${member}.lowerAscii()))`;
  return { error: message, params: { message, cel } };
}

export type HeaderTransformation = z.infer<typeof headerTransformation>;
export type Transform = z.infer<typeof transform>;
export type Transformation = z.infer<typeof transformation>;
export type TransformationOrConditional = z.infer<typeof transformationOrConditional>;
