import { z } from 'zod';
import { celExpression } from '../../scalars.ts';

/** `duration`: a literal such as `2s`, or an expression giving a duration or milliseconds (ADMIT-173). */
export const delay = z.strictObject({ duration: celExpression });

export type Delay = z.infer<typeof delay>;
