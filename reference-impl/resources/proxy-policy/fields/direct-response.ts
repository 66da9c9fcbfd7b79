import { z } from 'zod';
import { atMostOne } from '../../groups.ts';
import { described, noted } from '../../notes.ts';
import { celExpression, httpHeaderName, listOf } from '../../scalars.ts';
import { orConditional } from './conditional.ts';

const header = noted(
  described(
    z.strictObject({ name: httpHeaderName, value: celExpression }),
    { name: 'Name of the header.', value: 'CEL that gives the value.' },
    'One header.',
  ),
  { requires: 'ADMIT-174' },
);

/** An answer given without a backend. The document leaves body together with bodyExpression open; it is refused here. */
export const directResponse = atMostOne(
  described(
    z.strictObject({
      status: noted(z.number().int().min(200).max(599), { clause: 'ADMIT-092' }),
      body: noted(z.string().min(1).max(4096), { clause: 'LIMIT-031' }).exactOptional(),
      bodyExpression: celExpression.exactOptional(),
      headers: noted(listOf(header, 1, 16), { clause: 'LIMIT-032' }).exactOptional(),
    }),
    {
      status: 'Status, 200 to 599.',
      body: 'Literal body, 1 to 4096 characters.',
      bodyExpression: 'CEL that gives the body.',
      headers: '1 to 16 headers.',
    },
    'An answer given without a backend.',
  ),
  'DIRECT-008',
  'body',
  'bodyExpression',
);

export const directResponseOrConditional = orConditional(directResponse);

export type DirectResponse = z.infer<typeof directResponse>;
export type DirectResponseOrConditional = z.infer<typeof directResponseOrConditional>;
