import { z } from 'zod';
import { described, noted } from '../../notes.ts';
import { celExpression, listOf } from '../../scalars.ts';

/** One rule; it matches when all its expressions are true. `action` defaults to Allow (AUTHZ-001, AUTHZ-002). */
export const authorization = noted(
  described(
    z.strictObject({
      action: noted(z.enum(['Allow', 'Deny', 'Require']), { default: 'Allow', clause: 'ADMIT-120' }).exactOptional(),
      policy: noted(
        described(z.strictObject({ matchExpressions: noted(listOf(celExpression, 1, 256), { clause: 'ADMIT-119' }) }), {
          matchExpressions: '1 to 256 conditions; all must hold.',
        }),
        {
          requires: 'ADMIT-119',
        },
      ),
    }),
    { action: 'What follows when the rule matches.', policy: 'When the rule matches.' },
    'One rule on requests or connections.',
  ),
  { requires: 'ADMIT-119' },
);

export type Authorization = z.infer<typeof authorization>;
