import type { Decision, Fault, Verdict } from './verdict.ts';

/** What became of one attempt at a case. */
export interface Attempt extends Pick<Decision, 'verdict' | 'reason'> {
  readonly fault?: Fault | undefined;
  /** Steps that went on after their limit as it is written. */
  readonly overtimes?: readonly string[] | undefined;
  /** How many times as long it took because of what the machine took away; 1 when absent. */
  readonly stretch?: number | undefined;
}

/** What the attempts so far come to: it stands, nothing else runs beside the next attempt, or nobody can say. */
export type Settlement =
  | { readonly kind: 'final'; readonly attempt: number }
  | { readonly kind: 'again' }
  | { readonly kind: 'unstable'; readonly reason: string };

/** Verdicts that accuse somebody. */
export const RED: ReadonlySet<Verdict> = new Set(['fail', 'inconclusive', 'stale', 'error']);

/**
 * Whether a verdict has to be seen again before it counts: it accuses somebody, or it was reached only because limits were stretched.
 * A mistake in the case is one however often it is run.
 */
export function isProvisional({ verdict, fault, overtimes }: Attempt): boolean {
  if (RED.has(verdict)) return fault !== 'case';
  return overtimes !== undefined && verdict !== 'unsupported' && verdict !== 'skipped';
}

/** A machine that was no busier than this has decided nothing. */
const QUIET_STRETCH = 1.2;

/** Whether the verdict would have been the same with more time. */
export function isOfQuietMachine({ stretch = 1, overtimes }: Pick<Attempt, 'stretch' | 'overtimes'>): boolean {
  return stretch <= QUIET_STRETCH && overtimes === undefined;
}

/** Beyond this the machine gave less than a quarter of the time, and what an implementation limits by its own clock may have run out. */
const STARVED_STRETCH = 4;
/** So many attempts alone say the same on any machine … */
const STANDS_AFTER = 2;
/** … or so many, where all but one of them were starved. */
const STANDS_STARVED_AFTER = 5;

/**
 * What the attempts say: the first one among others, the next ones alone. A red one stands when two alone are the same, or five on a machine
 * that starves them; one that went well in overtime stands when it goes well alone.
 */
export function settle([first, ...alone]: readonly Attempt[]): Settlement {
  if (first === undefined || !isProvisional(first)) return { kind: 'final', attempt: 0 };
  const [second] = alone;
  if (second === undefined) return { kind: 'again' };
  const wasRed = RED.has(first.verdict);
  if (!wasRed && !RED.has(second.verdict)) return { kind: 'final', attempt: 0 };
  const said = wasRed ? first : second;
  if (!alone.every((attempt) => isSame(attempt, said)))
    return { kind: 'unstable', reason: differing([first, ...alone]) };
  return isEnough(alone) ? { kind: 'final', attempt: wasRed ? 0 : 1 } : { kind: 'again' };
}

function isEnough(alone: readonly Attempt[]): boolean {
  const fed = alone.filter(({ stretch = 1 }) => stretch <= STARVED_STRETCH);
  return fed.length >= STANDS_AFTER || alone.length >= STANDS_STARVED_AFTER;
}

function isSame(one: Attempt, other: Attempt): boolean {
  return one.verdict === other.verdict && one.fault === other.fault;
}

function differing(attempts: readonly Attempt[]): string {
  const [first, ...alone] = attempts.map(({ verdict, reason }) => (reason === '' ? verdict : `${verdict} (${reason})`));
  return `${first ?? ''}, but alone ${alone.join(', then ')}`;
}
