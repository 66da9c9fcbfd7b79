import type { ConcreteCase } from '../../../conformance/runner/case/concrete-case.ts';
import type { CaseResult } from '../../../conformance/runner/schedule/case-result.ts';
import { ImplementationFault } from '../../../conformance/runner/sut/session.ts';
import type { Mutant } from './mutant.ts';
import { accuses, type Covered, type MutatedReference } from './mutated-reference.ts';

/** What became of a mutant. */
export interface MutantOutcome {
  readonly mutant: Mutant;
  readonly verdict: 'killed' | 'survived' | 'uncovered';
  /** The first case that was red; the word for it when the reference did not even start. */
  readonly by?: string;
  /** How many cases ran against it, and how many are in groups that come by it. */
  readonly ran: number;
  readonly covering: number;
}

/** Cases that ran together on the reference without a mutant, and what they came by. */
export interface CoveredGroup {
  readonly cases: readonly ConcreteCase[];
  readonly covered: Covered;
}

/** What mutants are judged with. */
export interface Judging {
  /** Starts a reference; with the mutant switched on from its first line if one is named. */
  readonly start: (mutant?: string) => Promise<MutatedReference>;
  /** Cases that run against one mutant, at most. */
  readonly most: number;
  /** Cases that are known to notice changes of a file: they run first. */
  readonly notices: ReadonlyMap<string, ReadonlySet<string>>;
  readonly report: (outcome: MutantOutcome) => void;
  readonly stopped: () => boolean;
}

const IN_GROUP = 20;
const CHUNK = 40;

/**
 * Runs the cases group by group without a mutant: which group comes by which switch. Cases that are red there judge nothing. What is
 * passed while the reference loads belongs to every group.
 */
export async function cover(
  cases: readonly ConcreteCase[],
  { start }: Pick<Judging, 'start'>,
  told: (done: number) => void,
): Promise<{ readonly groups: readonly CoveredGroup[]; readonly atStart: Covered }> {
  const reference = await start();
  try {
    const atStart = await reference.covered();
    const groups: CoveredGroup[] = [];
    for (const group of groupsOf(cases)) {
      const results = await reference.run(group, 'whole');
      const good = new Set(results.filter(({ verdict }) => verdict === 'pass').map((result) => result.case.id));
      groups.push({ cases: group.filter(({ id }) => good.has(id)), covered: await reference.covered() });
      told(groups.reduce((sum, one) => sum + one.cases.length, 0));
    }
    return { groups, atStart };
  } finally {
    await reference.stop();
  }
}

/** Judges mutants one after the other, on one reference as long as it stays sound. */
export async function judgeMutants(
  mutants: readonly Mutant[],
  { groups, atStart }: { readonly groups: readonly CoveredGroup[]; readonly atStart: Covered },
  judging: Judging,
): Promise<readonly MutantOutcome[]> {
  const shared = sharedReference(judging.start);
  const outcomes: MutantOutcome[] = [];
  const killers = new Map([...judging.notices].map(([file, ids]) => [file, new Set(ids)]));
  try {
    for (const mutant of mutants) {
      if (judging.stopped()) break;
      const covering = coveringCases(mutant, groups, atStart, killers.get(mutant.file));
      const outcome = await judge(mutant, covering, atStart.has(mutant.id), shared, judging);
      if (outcome.by !== undefined) killers.set(mutant.file, (killers.get(mutant.file) ?? new Set()).add(outcome.by));
      outcomes.push(outcome);
      judging.report(outcome);
    }
  } finally {
    await shared.stop();
  }
  return outcomes;
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

async function judge(
  mutant: Mutant,
  covering: readonly ConcreteCase[],
  atStart: boolean,
  shared: Shared,
  judging: Judging,
): Promise<MutantOutcome> {
  const chosen = covering.slice(0, judging.most);
  const base = { mutant, covering: covering.length };
  if (chosen.length === 0) return { ...base, verdict: 'uncovered', ran: 0 };
  // What is read once, as the reference loads, is not changed by a switch that is turned later.
  if (!atStart) {
    const found = await tryShared(mutant, chosen, shared);
    if (found.by !== undefined) return { ...base, verdict: 'killed', ...found, by: found.by };
  }
  // What was remembered from before the switch may hide a mutant: a survivor has to survive from the start.
  const found = await tryAlone(mutant, chosen, judging);
  return { ...base, verdict: found.by === undefined ? 'survived' : 'killed', ...found };
}

interface Found {
  readonly ran: number;
  readonly by?: string;
}

/** A kill counts when the same case is green with the mutant switched off: otherwise an earlier mutant has left something behind. */
async function tryShared(mutant: Mutant, chosen: readonly ConcreteCase[], shared: Shared): Promise<Found> {
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
  return { ran: 0 };
}

async function tryAlone(mutant: Mutant, chosen: readonly ConcreteCase[], { start }: Judging): Promise<Found> {
  // A busy machine may keep a reference from starting once.
  const reference = (await startOrNot(mutant, start)) ?? (await startOrNot(mutant, start));
  if (reference === undefined) return { ran: 0, by: 'the start' };
  try {
    const { ran, red } = await firstRed(chosen, reference);
    return { ran, ...(red === undefined ? {} : { by: red.case.id }) };
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

/** Only some at a time: most mutants die early. What is red once only was red for another reason. */
async function firstRed(
  chosen: readonly ConcreteCase[],
  reference: MutatedReference,
): Promise<{ readonly ran: number; readonly red?: CaseResult }> {
  let ran = 0;
  for (let at = 0; at < chosen.length; at += CHUNK) {
    let left = chosen.slice(at, at + CHUNK);
    while (left.length > 0) {
      const results = await reference.run(left);
      const red = results.find(accuses);
      ran += results.length;
      if (red === undefined) break;
      const again = await reference.run([red.case], 'whole');
      if (again.every(accuses)) return { ran, red };
      const seen = new Set(results.filter((one) => one === red || !accuses(one)).map((one) => one.case.id));
      left = left.filter(({ id }) => !seen.has(id));
    }
  }
  return { ran };
}

/** Cases of groups that come by the switch: those that are known to notice changes of the file first, then those of the groups that come by most often. */
function coveringCases(
  { id }: Mutant,
  groups: readonly CoveredGroup[],
  atStart: Covered,
  killers: ReadonlySet<string> = new Set(),
): readonly ConcreteCase[] {
  const passing = groups.filter(({ covered }) => covered.has(id) || atStart.has(id));
  const often = passing.toSorted((one, other) => (other.covered.get(id) ?? 0) - (one.covered.get(id) ?? 0));
  const all = often.flatMap(({ cases }) => cases);
  return [...all.filter((one) => killers.has(one.id)), ...all.filter((one) => !killers.has(one.id))];
}

/** Cases of one file are about one thing. */
function groupsOf(cases: readonly ConcreteCase[]): readonly (readonly ConcreteCase[])[] {
  return [...Map.groupBy(cases, ({ file }) => file).values()].flatMap((ofFile) =>
    Array.from({ length: Math.ceil(ofFile.length / IN_GROUP) }, (_, index) =>
      ofFile.slice(index * IN_GROUP, (index + 1) * IN_GROUP),
    ),
  );
}
