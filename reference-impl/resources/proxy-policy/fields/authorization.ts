import { z } from 'zod';
import { celExpression, listOf } from '../../scalars.ts';

/** One rule; it matches when all its expressions are true. `action` defaults to Allow (AUTHZ-001, AUTHZ-002). */
export const authorization = z.strictObject({
  action: z.enum(['Allow', 'Deny', 'Require']).exactOptional(),
  policy: z.strictObject({ matchExpressions: listOf(celExpression, 1, 256) }),
});

export type Authorization = z.infer<typeof authorization>;
