import { z } from 'zod';
import { celExpression, shortString } from '../../../scalars.ts';

/** Evaluated against the request body; the result overwrites the field (XFORM-003, XFORM-004). */
export const fieldTransformation = z.strictObject({ field: shortString, expression: celExpression });

export type FieldTransformation = z.infer<typeof fieldTransformation>;
