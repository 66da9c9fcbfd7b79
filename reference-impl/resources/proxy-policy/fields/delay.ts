import { z } from 'zod';
import { described, noted } from '../../notes.ts';
import { celExpressionOrDuration } from '../../scalars.ts';

/** `duration`: a literal such as `2s`, or an expression giving a duration or milliseconds (ADMIT-173). */
export const delay = noted(
  described(z.strictObject({ duration: celExpressionOrDuration }), {
    duration: 'A duration, or CEL that gives a duration or milliseconds.',
  }),
  { requires: 'ADMIT-173' },
);

export type Delay = z.infer<typeof delay>;
