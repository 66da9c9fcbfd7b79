import type { Decision, Fault, Verdict } from './verdict.ts';

/** What became of one attempt at a case. */
export interface Attempt extends Pick<Decision, 'verdict' | 'reason'> {
  readonly fault?: Fault | undefined;
  /** Steps that went on after their limit as it is written. */
  readonly overtimes?: readonly string[] | undefined;
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

/**
 * What the attempts say: the first one among others, the next ones alone. A red one stands when two alone are the same; one that went
 * well in overtime stands when it goes well alone.
 */
export function settle([first, second, third]: readonly Attempt[]): Settlement {
  if (first === undefined || !isProvisional(first)) return { kind: 'final', attempt: 0 };
  if (second === undefined) return { kind: 'again' };
  if (!RED.has(first.verdict) && !RED.has(second.verdict)) return { kind: 'final', attempt: 0 };
  if (RED.has(first.verdict) && !isSame(first, second)) return { kind: 'unstable', reason: differing([first, second]) };
  if (third === undefined) return { kind: 'again' };
  if (isSame(second, third)) return { kind: 'final', attempt: RED.has(first.verdict) ? 0 : 1 };
  return { kind: 'unstable', reason: differing([first, second, third]) };
}

function isSame(one: Attempt, other: Attempt): boolean {
  return one.verdict === other.verdict && one.fault === other.fault;
}

function differing(attempts: readonly Attempt[]): string {
  const [first, ...alone] = attempts.map(({ verdict, reason }) => (reason === '' ? verdict : `${verdict} (${reason})`));
  return `${first ?? ''}, but alone ${alone.join(', then ')}`;
}
