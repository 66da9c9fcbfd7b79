import { z } from 'zod';
import { atMostOne } from '../../groups.ts';
import { celExpression, httpHeaderName, listOf } from '../../scalars.ts';
import { orConditional } from './conditional.ts';

/** An answer given without a backend. The document leaves body together with bodyExpression open; it is refused here. */
export const directResponse = atMostOne(
  z.strictObject({
    status: z.number().int().min(200).max(599),
    body: z.string().min(1).max(4096).exactOptional(),
    bodyExpression: celExpression.exactOptional(),
    headers: listOf(z.strictObject({ name: httpHeaderName, value: celExpression }), 1, 16).exactOptional(),
  }),
  'DIRECT-008',
  'body',
  'bodyExpression',
);

export const directResponseOrConditional = orConditional(directResponse);

export type DirectResponse = z.infer<typeof directResponse>;
export type DirectResponseOrConditional = z.infer<typeof directResponseOrConditional>;
