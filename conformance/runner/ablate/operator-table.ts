import { isEquivalent, type AcceptedGap } from './accepted-gaps.ts';
import { fieldName } from './fields.ts';
import type { AblatedField, AblationOutcome } from './run-ablation.ts';

/** What a run with operators found: counts by kind, what nobody noticed without a reason, and reasons that are not needed. */
export function operatorTable({ fields }: AblationOutcome, gaps: readonly AcceptedGap[]): string {
  const trials = fields.flatMap(trialsOf);
  const reasonFor = (trial: Trial): AcceptedGap | undefined =>
    gaps.find(
      ({ field, operators }) => field === trial.name && operators.some((operator) => operator === trial.operator),
    );
  const missed = trials.filter(({ noticed }) => !noticed);
  const bare = missed.filter((trial) => reasonFor(trial) === undefined);
  const stale = trials.filter((trial) => trial.noticed && reasonFor(trial) !== undefined);
  const noticed = trials.length - missed.length;
  const meaningful =
    trials.length -
    missed.filter((trial) => {
      const gap = reasonFor(trial);
      return gap !== undefined && isEquivalent(gap);
    }).length;
  return [
    ...byKind(trials),
    '',
    ...(bare.length === 0 ? [] : ['no case notices:', ...bare.map(lineOf), '']),
    ...(stale.length === 0
      ? []
      : ['noticed although docs/spec/operators.yaml has a reason:', ...stale.map(lineOf), '']),
    `${noticed} of ${trials.length} operators noticed (${share(noticed, trials.length)}), ${missed.length - bare.length} more have a reason`,
    `${noticed} of ${meaningful} that leave another meaning (${share(noticed, meaningful)})`,
    `${noticed} of ${trials.length - missed.length + bare.length} without those that have a reason (${share(noticed, noticed + bare.length)})`,
  ].join('\n');
}

interface Trial {
  readonly name: string;
  readonly kind: string;
  readonly operator: string;
  readonly noticed: boolean;
  readonly users: readonly string[];
}

function trialsOf(field: AblatedField): readonly Trial[] {
  return field.ablated.map(({ how, noticedBy, usedBy }) => ({
    name: fieldName(field),
    kind: field.kind,
    operator: how,
    noticed: noticedBy.length > 0,
    users: usedBy,
  }));
}

function byKind(trials: readonly Trial[]): readonly string[] {
  return [...Map.groupBy(trials, ({ kind }) => kind)].map(
    ([kind, own]) =>
      `${kind.padEnd(18)}${String(own.filter(({ noticed }) => noticed).length).padStart(5)} of ${own.length}`,
  );
}

function lineOf({ name, operator, users: [first = '', ...others] }: Trial): string {
  return `  ${name}  ${operator}  (${first}${others.length === 0 ? '' : ` and ${others.length} more`})`;
}

function share(part: number, whole: number): string {
  return whole === 0 ? 'none' : `${((100 * part) / whole).toFixed(1)} %`;
}
