import { z } from 'zod';
import { exactlyOne } from '../../groups.ts';
import { described, describedFields, noted } from '../../notes.ts';
import { celExpression, httpHeaderName } from '../../scalars.ts';

const named = described(z.strictObject({ name: noted(z.string().min(1).max(256), { clause: 'LIMIT-040' }) }), {
  name: 'Name.',
});

const places = describedFields(
  {
    header: described(
      z.strictObject({
        name: httpHeaderName,
        prefix: noted(z.string().min(1).max(256), { clause: 'LIMIT-040' }).exactOptional(),
      }),
      { name: 'Name.', prefix: 'Text before it.' },
    ).exactOptional(),
    queryParameter: named.exactOptional(),
    cookie: named.exactOptional(),
  },
  { header: 'A header.', queryParameter: 'A query parameter.', cookie: 'A cookie.' },
);

/** Where credentials stand unless a policy says otherwise (APIKEY-017, BASIC-016, JWT-017, BAUTH-002). */
export const BEARER = { header: { name: 'Authorization', prefix: 'Bearer ' } };
export const BASIC = { header: { name: 'Authorization', prefix: 'Basic ' } };

/** Where a credential is written (ADMIT-111). */
export const authorizationLocation = exactlyOne(
  z.strictObject(places),
  'ADMIT-111',
  'header',
  'queryParameter',
  'cookie',
);

/** Where a credential is read; an expression may compute it (ADMIT-111). */
export const authorizationExtractionLocation = exactlyOne(
  described(z.strictObject({ ...places, expression: celExpression.exactOptional() }), {
    expression: 'CEL that gives the credential.',
  }),
  'ADMIT-111',
  'header',
  'queryParameter',
  'cookie',
  'expression',
);

export type AuthorizationLocation = z.infer<typeof authorizationLocation>;
export type AuthorizationExtractionLocation = z.infer<typeof authorizationExtractionLocation>;
