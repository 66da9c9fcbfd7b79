import { z } from 'zod';
import { atLeastOne } from '../../groups.ts';
import { described } from '../../notes.ts';
import { celExpression, headerName, listOf, mapOf } from '../../scalars.ts';
import { orConditional } from './conditional.ts';

/** Sets the named header to the value of an expression; names may be pseudo-headers such as `:path` (XFORM-001, XFORM-002). */
const headerTransformation = described(
  z.strictObject({ name: headerName, value: celExpression }),
  { name: 'Header, or a pseudo-header such as :path.', value: 'CEL that gives the value.' },
  'A header set by expression.',
);

const headerTransformations = listOf(headerTransformation, 1, 16).refine(
  (headers) => areUnique(headers.map((header) => header.name)),
  uniqueness('.name'),
);

const headerNames = listOf(headerName, 1, 16).refine(areUnique, uniqueness(''));

/** At least one step; up to 16 headers in each. docs/decisions/unshown-fields.md */
const transform = atLeastOne(
  described(
    z.strictObject({
      metadata: mapOf(celExpression, 1, 16).exactOptional(),
      add: headerTransformations.exactOptional(),
      set: headerTransformations.exactOptional(),
      remove: headerNames.exactOptional(),
      body: celExpression.exactOptional(),
    }),
    {
      metadata: 'Values for later expressions, by name, 1 to 16.',
      add: '1 to 16 headers put beside those of the same name.',
      set: '1 to 16 headers that replace those of the same name.',
      remove: '1 to 16 headers to take away.',
      body: 'CEL that gives the body.',
    },
  ),
  'VERSION-008',
  'metadata',
  'add',
  'set',
  'remove',
  'body',
);

/** Runs metadata, add, set, remove, body, in this order. */
export const transformation = atLeastOne(
  described(
    z.strictObject({ request: transform.exactOptional(), response: transform.exactOptional() }),
    { request: 'Edits of requests.', response: 'Edits of answers.' },
    'Edits by expressions.',
  ),
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
  // Each name is lowered once for all it is compared with: 128 providers with 16 headers each stay within the cost an API server allows.
  const cel = `self.map(x, x${member}.lowerAscii()).all(name, self.exists_one(x, x${member}.lowerAscii() == name))`;
  return { error: message, params: { message, cel } };
}

export type HeaderTransformation = z.infer<typeof headerTransformation>;
export type Transform = z.infer<typeof transform>;
export type Transformation = z.infer<typeof transformation>;
export type TransformationOrConditional = z.infer<typeof transformationOrConditional>;
