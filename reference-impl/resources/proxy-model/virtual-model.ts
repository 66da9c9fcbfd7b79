import { z } from 'zod';
import { exactlyOne, isFields, rule } from '../groups.ts';
import { described, describedFields, noted } from '../notes.ts';
import { localObjectReference } from '../references.ts';
import { celExpression, listOf, longString } from '../scalars.ts';

/** A ProxyModel of the same namespace, and the name it is asked for (MODEL-027). */
const modelTarget = describedFields(
  {
    modelRef: localObjectReference,
    model: noted(longString, { defaultText: 'the exact name the referenced model matches' }).exactOptional(),
  },
  {
    modelRef: 'A ProxyModel of the same namespace.',
    model: 'Model name to ask for; needed when the referenced match has a *.',
  },
);

const weighted = described(
  z.strictObject({
    targets: listOf(
      described(
        z.strictObject({
          ...modelTarget,
          weight: noted(z.number().int().min(1).max(1_000_000), { default: 1 }).exactOptional(),
        }),
        { weight: 'Share of the requests, 1 to 1000000.' },
        'A model by its share.',
      ),
      1,
      64,
    ),
  }),
  { targets: '1 to 64 models.' },
);

/** Lower `priority` first; the next one when every target of this one is degraded (ADMIT-050). */
const failover = noted(
  described(
    z.strictObject({
      targets: noted(
        listOf(
          noted(
            described(
              z.strictObject({
                ...modelTarget,
                priority: noted(z.number().int().min(0).max(1_000_000), { clause: 'ADMIT-050' }),
              }),
              { priority: 'Lower first; the next when every target of this one is degraded.' },
              'A model by its priority.',
            ),
            { requires: 'ADMIT-050' },
          ),
          1,
          64,
        ),
        { clause: 'ADMIT-050' },
      ),
    }),
    { targets: '1 to 64 models.' },
  ),
  { requires: 'ADMIT-050' },
);

/** The first target whose `when` is true; the last may leave it out (ADMIT-052 to ADMIT-054). */
const conditional = rule(
  noted(
    described(
      z.strictObject({
        targets: noted(
          listOf(
            noted(
              described(
                z.strictObject({ ...modelTarget, when: celExpression.exactOptional() }),
                { when: 'Condition on the request; only the last target may leave it out.' },
                'A model by a condition.',
              ),
              { requires: 'ADMIT-052' },
            ),
            1,
            64,
          ),
          { clause: 'ADMIT-052' },
        ),
      }),
      { targets: '1 to 64 models; the first whose condition is true.' },
    ),
    { requires: 'ADMIT-052' },
  ),
  'ADMIT-053',
  (routing) => fallbackIsLast(routing['targets']),
  'only the last target may leave out when',
  'self.targets.filter(target, !has(target.when)).size() <= (has(self.targets[size(self.targets) - 1].when) ? 0 : 1)',
);

/** Routes by weight, by health or by conditions; exactly one of them (ADMIT-049). */
export const virtualModel = exactlyOne(
  described(
    z.strictObject({
      weighted: weighted.exactOptional(),
      failover: failover.exactOptional(),
      conditional: conditional.exactOptional(),
    }),
    { weighted: 'By share.', failover: 'By priority and health.', conditional: 'By conditions, in order.' },
  ),
  'ADMIT-049',
  'weighted',
  'failover',
  'conditional',
);

function fallbackIsLast(targets: unknown): boolean {
  if (!Array.isArray(targets)) return true;
  return targets.slice(0, -1).every((target: unknown) => !isFields(target) || target['when'] !== undefined);
}

export type VirtualModel = z.infer<typeof virtualModel>;
