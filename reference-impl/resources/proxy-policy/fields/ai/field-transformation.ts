import { z } from 'zod';
import { described } from '../../../notes.ts';
import { celExpression, shortString } from '../../../scalars.ts';

/** Evaluated against the request body; the result overwrites the field (XFORM-003, XFORM-004). */
export const fieldTransformation = described(
  z.strictObject({ field: shortString, expression: celExpression }),
  { field: 'Name of the field.', expression: 'CEL over the request and llmRequest; its result replaces the value.' },
  'A field of the request body and how it is computed.',
);

export type FieldTransformation = z.infer<typeof fieldTransformation>;
