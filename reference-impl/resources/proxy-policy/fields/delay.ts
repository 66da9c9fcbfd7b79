import { z } from 'zod';
import { noted } from '../../notes.ts';
import { celExpressionOrDuration } from '../../scalars.ts';

/** `duration`: a literal such as `2s`, or an expression giving a duration or milliseconds (ADMIT-173). */
export const delay = noted(z.strictObject({ duration: celExpressionOrDuration }), { requires: 'ADMIT-173' });

export type Delay = z.infer<typeof delay>;
