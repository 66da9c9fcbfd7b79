import { z } from 'zod';
import { exactlyOne } from '../../groups.ts';
import { celExpression, httpHeaderName } from '../../scalars.ts';

const named = z.strictObject({ name: z.string().min(1).max(256) });

const places = {
  header: z.strictObject({ name: httpHeaderName, prefix: z.string().min(1).max(256).exactOptional() }).exactOptional(),
  queryParameter: named.exactOptional(),
  cookie: named.exactOptional(),
};

/** Where a credential is written. */
export const authorizationLocation = exactlyOne(
  z.strictObject(places),
  'ADMIT-111',
  'header',
  'queryParameter',
  'cookie',
);

/** Where a credential is read; an expression may compute it. */
export const authorizationExtractionLocation = exactlyOne(
  z.strictObject({ ...places, expression: celExpression.exactOptional() }),
  'ADMIT-111',
  'header',
  'queryParameter',
  'cookie',
  'expression',
);

export type AuthorizationLocation = z.infer<typeof authorizationLocation>;
export type AuthorizationExtractionLocation = z.infer<typeof authorizationExtractionLocation>;
