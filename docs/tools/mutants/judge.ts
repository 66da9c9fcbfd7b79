import type { ConcreteCase } from '../../../conformance/runner/case/concrete-case.ts';
import type { CaseResult } from '../../../conformance/runner/schedule/case-result.ts';
import { ImplementationFault } from '../../../conformance/runner/sut/session.ts';
import type { Killers } from './killers.ts';
import type { Mutant } from './mutant.ts';
import { accuses, type Covered, type MutatedReference } from './mutated-reference.ts';

/** What became of a mutant. */
export interface MutantOutcome {
  readonly mutant: Mutant;
  /** `unstarted`: no reference with it starts, or it hears nothing any more. Every suite would see that, so that it says nothing about this one. */
  readonly verdict: 'killed' | 'survived' | 'uncovered' | 'unstarted';
  /** The first case that was red. */
  readonly by?: string;
  /** How many cases ran against it, and how many come by it. */
  readonly ran: number;
  readonly covering: number;
}

/** What mutants are judged with. */
export interface Judging {
  /** Starts a reference; with the mutant switched on from its first line if one is named. */
  readonly start: (mutant?: string) => Promise<MutatedReference>;
  readonly killers: Pick<Killers, 'of' | 'learn'>;
  /** What is passed while the reference loads. */
  readonly atStart: Covered;
  /** Cases that run against one mutant, at most. */
  readonly most: number;
  /** How many mutants are judged at the same time. */
  readonly lanes: number;
  readonly report: (outcome: MutantOutcome) => void;
  readonly stopped: () => boolean;
}

/** Judges mutants, each lane on one reference as long as it stays sound. */
export async function judgeMutants(mutants: readonly Mutant[], judging: Judging): Promise<readonly MutantOutcome[]> {
  const outcomes = new Map<Mutant, MutantOutcome>();
  const work = mutants.values();
  const lane = async (): Promise<void> => {
    const shared = sharedReference(judging.start);
    try {
      for (const mutant of work) {
        if (judging.stopped()) return;
        const outcome = await judge(mutant, shared, judging);
        if (outcome.by !== undefined) judging.killers.learn(mutant, outcome.by);
        outcomes.set(mutant, outcome);
        judging.report(outcome);
      }
    } finally {
      await shared.stop();
    }
  };
  await Promise.all(Array.from({ length: Math.max(1, judging.lanes) }, lane));
  return mutants.flatMap((mutant) => outcomes.get(mutant) ?? []);
}

interface Shared {
  readonly get: () => Promise<MutatedReference>;
  /** The next who asks gets another one. */
  readonly stop: () => Promise<void>;
}

function sharedReference(start: Judging['start']): Shared {
  let running: MutatedReference | undefined;
  return {
    get: async () => (running ??= await start()),
    stop: async () => {
      const old = running;
      running = undefined;
      await old?.stop();
    },
  };
}

/** What was remembered from before the switch may hide a mutant: a survivor has to survive from the start, before so many cases. */
const ALONE = 60;

async function judge(mutant: Mutant, shared: Shared, judging: Judging): Promise<MutantOutcome> {
  const covering = judging.killers.of(mutant);
  const chosen = covering.slice(0, judging.most);
  const base = { mutant, covering: covering.length };
  if (chosen.length === 0) return { ...base, verdict: 'uncovered', ran: 0 };
  // What is read once, as the reference loads, is not changed by a switch that is turned later.
  const early = judging.atStart.has(mutant.id);
  const together = early ? undefined : await tryShared(mutant, chosen, shared);
  if (together?.by !== undefined) return { ...base, verdict: 'killed', ...together };
  const found = await tryAlone(mutant, together === undefined ? chosen : chosen.slice(0, ALONE), judging);
  const ran = Math.max(found?.ran ?? 0, together?.ran ?? 0);
  if (found === undefined) return { ...base, verdict: 'unstarted', ran };
  return { ...base, verdict: found.by === undefined ? 'survived' : 'killed', ...found, ran };
}

interface Found {
  readonly ran: number;
  readonly by?: string;
}

/**
 * A kill counts when the same case is green with the mutant switched off: otherwise an earlier mutant has left something behind. Undefined where
 * that keeps it from saying anything.
 */
async function tryShared(mutant: Mutant, chosen: readonly ConcreteCase[], shared: Shared): Promise<Found | undefined> {
  try {
    const reference = await shared.get();
    await reference.turnTo(mutant.id);
    const found = await firstRed(chosen, reference);
    await reference.turnTo(undefined);
    if (found.red === undefined) return { ran: found.ran };
    const [again] = await reference.run([found.red.case], 'whole');
    if (again !== undefined && !accuses(again)) return { ran: found.ran, by: found.red.case.id };
  } catch (error) {
    if (!(error instanceof ImplementationFault)) throw error;
  }
  await shared.stop();
  return undefined;
}

/**
 * A kill counts when the same case is green on a reference of its own without the mutant; one that is not judges nothing here. Undefined where no
 * reference starts.
 */
async function tryAlone(mutant: Mutant, chosen: readonly ConcreteCase[], judging: Judging): Promise<Found | undefined> {
  const found = await runAlone(mutant, chosen, judging);
  const by = chosen.find(({ id }) => id === found?.by);
  if (by === undefined || (await isGreenWithout(by, judging))) return found;
  return tryAlone(
    mutant,
    chosen.filter((one) => one !== by),
    judging,
  );
}

async function isGreenWithout(one: ConcreteCase, { start }: Judging): Promise<boolean> {
  const reference = await start();
  try {
    const results = await reference.run([one], 'whole');
    return results.length > 0 && !results.some(accuses);
  } finally {
    await reference.stop();
  }
}

async function runAlone(
  mutant: Mutant,
  chosen: readonly ConcreteCase[],
  { start }: Judging,
): Promise<Found | undefined> {
  // A busy machine may keep a reference from starting once.
  const reference = (await startOrNot(mutant, start)) ?? (await startOrNot(mutant, start));
  if (reference === undefined) return undefined;
  try {
    const { ran, red } = await firstRed(chosen, reference);
    return { ran, ...(red === undefined ? {} : { by: red.case.id }) };
  } catch (error) {
    // A process that hears nothing any more is no better than one that does not start.
    if (error instanceof ImplementationFault) return undefined;
    throw error;
  } finally {
    await reference.stop();
  }
}

async function startOrNot({ id }: Mutant, start: Judging['start']): Promise<MutatedReference | undefined> {
  try {
    return await start(id);
  } catch (error) {
    if (error instanceof ImplementationFault) return undefined;
    throw error;
  }
}

/** Few at first: most mutants die early. */
const CHUNKS = [6, 20, 60];

/** What is red once only was red for another reason. */
async function firstRed(
  chosen: readonly ConcreteCase[],
  reference: MutatedReference,
): Promise<{ readonly ran: number; readonly red?: CaseResult }> {
  let ran = 0;
  for (let left = chosen, chunk = 0; left.length > 0; chunk += 1) {
    const size = CHUNKS[Math.min(chunk, CHUNKS.length - 1)] ?? left.length;
    let now = left.slice(0, size);
    left = left.slice(size);
    while (now.length > 0) {
      const results = await reference.run(now);
      const red = results.find(accuses);
      ran += results.length;
      if (red === undefined) break;
      const again = await reference.run([red.case], 'whole');
      if (again.length > 0 && again.every(accuses)) return { ran, red };
      const seen = new Set(results.filter((one) => one === red || !accuses(one)).map((one) => one.case.id));
      now = now.filter(({ id }) => !seen.has(id));
    }
  }
  return { ran };
}
