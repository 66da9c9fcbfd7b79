import { z } from 'zod';
import { noted } from '../../notes.ts';
import { celExpression, listOf } from '../../scalars.ts';

/** One rule; it matches when all its expressions are true. `action` defaults to Allow (AUTHZ-001, AUTHZ-002). */
export const authorization = noted(
  z.strictObject({
    action: noted(z.enum(['Allow', 'Deny', 'Require']), { default: 'Allow', clause: 'ADMIT-120' }).exactOptional(),
    policy: noted(z.strictObject({ matchExpressions: noted(listOf(celExpression, 1, 256), { clause: 'ADMIT-119' }) }), {
      requires: 'ADMIT-119',
    }),
  }),
  { requires: 'ADMIT-119' },
);

export type Authorization = z.infer<typeof authorization>;
