import type { VariantsOutcome } from './lawful.ts';
import type { NullOutcome } from './nulls.ts';
import { collateralShare, wholeRunShare, type DefectOutcome } from './run-defects.ts';

/** One line on a defect; a second one with the cases nobody announced. */
export function outcomeLine({ defect, killedBy, collateral, error, durationMs }: DefectOutcome): string {
  const seconds = `${(durationMs / 1000).toFixed(1)} s`;
  if (error !== undefined) return `ERROR     ${defect.id}  ${defect.place}: ${error.split('\n')[0]}`;
  const [first, ...others] = killedBy;
  const stray = collateral.length === 0 ? '' : `\n            collateral: ${collateral.join(', ')}`;
  if (first === undefined) return `SURVIVED  ${defect.id}  ${defect.place}: ${defect.text} (${seconds})${stray}`;
  return `killed    ${defect.id} by ${first}${others.length === 0 ? '' : ` (+${others.length})`} (${seconds})${stray}`;
}

/** The last line: how many were killed, and how precisely. */
export function summaryLine(
  outcomes: readonly DefectOutcome[],
  selected: number,
  collateral: boolean,
  durationMs: number,
): string {
  const killed = outcomes.filter(isKilled).length;
  const errors = outcomes.filter(({ error }) => error !== undefined).length;
  const parts = [
    `${killed} of ${selected} defects killed`,
    `${outcomes.length - killed - errors} survived`,
    ...(errors === 0 ? [] : [`${errors} in error`]),
    ...(outcomes.length === selected ? [] : [`${selected - outcomes.length} not run`]),
    ...(collateral ? [collateralText(outcomes)] : []),
  ];
  return `${parts.join(', ')} in ${(durationMs / 1000).toFixed(1)} s`;
}

/** A sample finds the red cases that were announced, all of them, and few of the others: what the whole suite would find is said too. */
function collateralText(outcomes: readonly DefectOutcome[]): string {
  const text = `collateral ${percent(collateralShare(outcomes))} of red cases`;
  const isSample = outcomes.some(({ others }) => others.run < others.of);
  return isSample ? `${text} (about ${percent(wholeRunShare(outcomes))} were every case run)` : text;
}

function percent(share: number): string {
  return `${(share * 100).toFixed(1)} %`;
}

const WORST = 10;

/** The defects with the most red cases that nobody announced, the worst first; nothing when there are none. */
export function worstLines(outcomes: readonly DefectOutcome[]): readonly string[] {
  const worst = outcomes
    .filter(({ collateral }) => collateral.length > 0)
    .toSorted((one, other) => other.collateral.length - one.collateral.length)
    .slice(0, WORST);
  return worst.map(
    ({ defect, collateral, red }) =>
      `  ${collateral.length} of ${red} red  ${defect.id} (${defect.clauses.join(' ')}): ${[...new Set(collateral.map(baseOf))].slice(0, 4).join(', ')}`,
  );
}

function baseOf(id: string): string {
  return id.replace(/[[@].*$/, '');
}

/** The members of `conform gallery --json`. */
export function asJson({ defect, killedBy, collateral, red, others, error }: DefectOutcome): object {
  const { id, clauses } = defect;
  return { id, clauses, killedBy, collateral, red, others, ...(error === undefined ? {} : { error }) };
}

/** Whether a case that lists the defect has caught it. */
export function isKilled({ killedBy, error }: DefectOutcome): boolean {
  return error === undefined && killedBy.length > 0;
}

/** One line on a null proxy, and one per case it passed. */
export function nullLine({ id, green, judged, refused }: NullOutcome): string {
  const passed = green.map((one) => `\n    ${one}`).join('');
  return `${id}: ${refused === undefined ? `${green.length} of ${judged} green` : `refused, ${refused}`}${passed}`;
}

/** How many of the red cases a line of progress names. */
const PROGRESS_RED = 5;

/** One run of cases on variants, of several that are needed to know whom a case accuses. */
export function progressLine(variants: number, cases: number, red: readonly string[]): string {
  const first = red.slice(0, PROGRESS_RED).join(', ');
  const rest = red.length > PROGRESS_RED ? ', ...' : '';
  return `ran       ${variants} together, ${cases} cases, ${red.length} red${first && `: ${first}${rest}`}`;
}

/** What became of variants that ran together: a line on all of them, and one on each case that accused one. */
export function variantsLines({ variants, judged, accused, error, durationMs }: VariantsOutcome): readonly string[] {
  const seconds = `${(durationMs / 1000).toFixed(1)} s`;
  if (error !== undefined) return [`ERROR     ${idsOf(variants)}: ${error.split('\n')[0]}`];
  return [
    ...accused.map(({ id, reason, by }) => `ACCUSED   ${by.join(', ') || 'several together'} by ${id}: ${reason}`),
    `lawful    ${variants.length} together, ${judged} cases, ${accused.length} red (${seconds})`,
  ];
}

/** The same for machines. */
export function variantsJson({ variants, judged, accused, error, durationMs }: VariantsOutcome): object {
  return {
    variants: variants.map(({ id }) => id),
    judged,
    accused,
    ...(error === undefined ? {} : { error }),
    durationMs: Math.round(durationMs),
  };
}

function idsOf(variants: VariantsOutcome['variants']): string {
  return variants.map(({ id }) => id).join(', ');
}
