import { z } from 'zod';
import { isFields, rule } from '../../groups.ts';
import { described, noted } from '../../notes.ts';
import { celExpression, listOf } from '../../scalars.ts';

/** A policy, or a list of policies of which the first whose condition is true runs. Tell them apart by `'conditional' in field`. */
export type OrConditional<Plain> = Plain | Conditional<Plain>;

export interface Conditional<Plain> {
  conditional: ConditionalEntry<Plain>[];
}

/** Without `condition` the entry is the fallback, and last. */
export interface ConditionalEntry<Plain> {
  condition?: string;
  policy: Plain;
}

/** The `…OrConditional` form of a policy (COND-001, ADMIT-088 to ADMIT-091). */
export function orConditional<Plain>(plain: z.ZodType<Plain>): z.ZodType<OrConditional<Plain>> {
  const entry = described(
    z.strictObject({ condition: celExpression.exactOptional(), policy: plain }),
    { condition: 'Condition on the request; only the last entry may leave it out.', policy: 'The policy.' },
    'A policy under a condition.',
  );
  const entries = rule(
    rule(
      // Loose: the rule below says why another field cannot stand here.
      described(z.looseObject({ conditional: noted(listOf(entry, 1, 16), { clause: 'ADMIT-091' }) }), {
        conditional: '1 to 16 policies; the first whose condition is true runs. Instead of the other fields.',
      }),
      'ADMIT-088',
      (field) => Object.keys(field).every((name) => name === 'conditional'),
      'either conditional or the fields of the policy may be set, not both',
    ),
    'ADMIT-089',
    (field) => fallbackIsLast(field['conditional']),
    'only the last entry of conditional may leave out condition',
    `self.conditional.filter(entry, !has(entry.condition)).size() <=
      (has(self.conditional[size(self.conditional) - 1].condition) ? 0 : 1)`,
  );
  return z.union([entries, plain]);
}

function fallbackIsLast(entries: unknown): boolean {
  if (!Array.isArray(entries)) return true;
  return entries.slice(0, -1).every((entry: unknown) => !isFields(entry) || entry['condition'] !== undefined);
}
