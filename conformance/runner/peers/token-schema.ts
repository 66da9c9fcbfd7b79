import { z } from 'zod';
import { tokenSpecSchema } from '../../../mocks/idp/token-spec.ts';
import { withPlaceholders } from './placeholders.ts';

const { claims, header, ...others } = tokenSpecSchema.shape;
const placeholder = z.string().regex(/^\$\{[^{}]+\}$/, 'a placeholder such as "${row.claims}"');

const signed = z.strictObject({
  by: z.string().min(1).describe('name of the idp peer that signs; without more the token passes every check'),
  claims: z.union([claims, placeholder]).optional().describe(textOf(claims)),
  header: z.union([header, placeholder]).optional().describe(textOf(header)),
  ...withPlaceholders(z.strictObject(others)).shape,
});

function textOf(schema: z.ZodType): string {
  return schema.description ?? '';
}

const literal = z.strictObject({ literal: z.string().describe('sent as it is') });

/** A token of a case: signed by a peer, or a text as it is. A row may give it, and null is no token. */
export const tokenSchema = z.union([signed, literal, placeholder, z.null()], {
  error: '{by: PEER, claims, header, alg, kid, key, tamper} or {literal: text}',
});

/** The tokens of a case by name, before interpolation. */
export const tokensSchema = z.record(z.string(), tokenSchema);
