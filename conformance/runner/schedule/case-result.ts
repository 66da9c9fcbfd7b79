import type { Role } from '../sut/instance.ts';
import type { ConcreteCase } from '../case/concrete-case.ts';
import type { TimelineEntry } from '../steps/timeline.ts';
import type { Check } from '../values/check.ts';
import type { Fault, Verdict } from '../verdict/verdict.ts';
import type { RevisionsSeen } from './ask-again.ts';
import type { CaseEvidence } from './evidence.ts';

/** What became of one case, with everything a person needs to understand it. */
export interface CaseResult {
  readonly case: ConcreteCase;
  readonly verdict: Verdict;
  /** One line; empty for a pass. */
  readonly reason: string;
  readonly fault?: Fault | undefined;
  readonly durationMs: number;
  /** How much longer its limits were than written, because the machine was busy; absent on a quiet one. */
  readonly stretch?: number;
  /** Steps that went on after their limit as it is written. */
  readonly overtimes?: readonly string[];
  readonly checks: readonly Check[];
  readonly controls: readonly Check[];
  readonly witnesses: readonly Check[];
  /** Which revision of the configuration answered after a red step, and whether the step was asked again for it. */
  readonly revisions: readonly RevisionsSeen[];
  readonly timeline: readonly TimelineEntry[];
  /** Peer name to a short line per thing that arrived. */
  readonly ledgers: Readonly<Record<string, readonly string[]>>;
  /** The steps as curl commands, or why there is none. */
  readonly curl: readonly string[];
  /** What the implementation logged meanwhile; only when it matters. */
  readonly logs: readonly string[];
  /** Everything that was sent, seen and delivered; only for a case that did not go well. */
  readonly evidence?: CaseEvidence | undefined;
  /** What came of it when it was repeated alone, in order; absent when it was not. */
  readonly attempts?: readonly CaseResult[];
  /** Which instance of the implementation it ran on, when that is not the one that most cases share. */
  readonly instance?: Role;
  /** Number of the repetition with --repeat, from 1. */
  readonly round?: number | undefined;
}
