import { readFileSync } from 'node:fs';
import path from 'node:path';
import { parse } from 'yaml';
import { z } from 'zod';
import { packageRoot } from '../values/package-root.ts';
import { isOperatorName, OPERATOR_NAMES } from './operators.ts';

/** Why no case can notice: the closed list of reasons of `docs/spec/operators.yaml`. */
export const GAP_REASONS = {
  'order-free': 'the order of the entries has no meaning',
  'same-effect': 'what is left of the value does the same',
  open: 'the documents leave open what depends on it',
  'far-away': 'the value stands for one that is never reached while a case runs',
  costly: 'to notice takes longer than a case may',
  busy: 'cases measure it, with a bound that a busy machine stretches: noticed on a quiet one',
} as const;

/** With these the falsified value means what the value meant: no case can ever tell them apart. */
const EQUIVALENT: ReadonlySet<string> = new Set<keyof typeof GAP_REASONS>(['order-free', 'same-effect']);

export function isEquivalent({ reason }: Pick<AcceptedGap, 'reason'>): boolean {
  return EQUIVALENT.has(reason);
}

const gap = z.strictObject({
  field: z.string().regex(/^[A-Z]\w+ \S+$/),
  operators: z.array(z.string().refine(isOperatorName, `one of ${OPERATOR_NAMES.join(', ')}`)).min(1),
  reason: z.enum(Object.keys(GAP_REASONS)),
  note: z.string().min(1),
});

/** Operators on fields that no case notices, and why. */
export type AcceptedGap = z.infer<typeof gap>;

/** The gaps of `docs/spec/operators.yaml`. Throws when the file has another shape. */
export function acceptedGaps(): readonly AcceptedGap[] {
  return z.array(gap).parse(parse(readFileSync(path.join(packageRoot(), 'docs/spec/operators.yaml'), 'utf8')));
}
