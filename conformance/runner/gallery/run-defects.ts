import { createHash } from 'node:crypto';
import { rm } from 'node:fs/promises';
import { makeTempFolder } from '../sut/temp-folder.ts';
import type { ConcreteCase } from '../case/concrete-case.ts';
import type { CaseResult } from '../schedule/case-result.ts';
import type { Manifest } from '../sut/manifest.ts';
import { ImplementationFault } from '../sut/session.ts';
import { blockedBy } from '../verdict/blocked.ts';
import { standsOn } from '../verdict/stands-on.ts';
import { brokenManifest, runCases } from './broken-reference.ts';
import { isKiller } from './check.ts';
import type { Sources } from './declarations.ts';
import type { Defect } from './defects.ts';
import type { Passing } from './passing.ts';

/** How defects are run. */
export interface DefectsRun {
  /** The manifest of the reference. */
  readonly manifest: Manifest;
  /** The package. */
  readonly root: string;
  /** The reference under it. */
  readonly sources: Sources;
  /** Every case of the suite. */
  readonly cases: readonly ConcreteCase[];
  /**
   * How many cases that do not list a defect run against it all the same, drawn by the seed: what of them turns red is
   * collateral. 0 stops each defect at its first kill; Infinity is the whole suite.
   */
  readonly others: number;
  /** With it others are those that come by the defect, `most` of them at most; `others` is for defects by which any case may come. */
  readonly passing?: Passing & { readonly most: number };
  /** Defects at the same time. */
  readonly workers: number;
  readonly seed: number;
  readonly stop: AbortSignal;
  readonly report: (outcome: DefectOutcome) => void;
  /** How cases are run on an implementation, unless said on one that is started for them. */
  readonly runCases?: typeof runCases;
}

/** What became of one defect. */
export interface DefectOutcome {
  readonly defect: Defect;
  /** Red must-level cases that list the defect; only the first ones when no others are run. */
  readonly killedBy: readonly string[];
  /** Red cases that neither list the defect, nor cite one of its clauses, nor stand on a case that does. */
  readonly collateral: readonly string[];
  /** How many cases were red. */
  readonly red: number;
  /** How many of the red ones list it. */
  readonly listed: number;
  /** How many cases that do not list it were run against it, and how many there are: of those that come by it, where that is known. */
  readonly others: { readonly run: number; readonly of: number };
  /** Why the defect says nothing: the broken reference does not start, or nothing lists it. */
  readonly error?: string;
  readonly durationMs: number;
}

/**
 * Runs each defect on a reference of its own. With others, all that may run first runs on the reference as it is: what is red
 * there is nobody's kill. Who survives is tried once more when the others are done: beside others a machine may be so busy that a limit
 * by the clock forgives too much. Reports each outcome as it comes and returns all, in the order of the defects.
 */
export async function runDefects(defects: readonly Defect[], run: DefectsRun): Promise<readonly DefectOutcome[]> {
  const folder = await makeTempFolder('gallery');
  const outcomes = new Map<Defect, DefectOutcome>();
  const survivors: Defect[] = [];
  const left = defects.values();
  try {
    const redAnyway = run.others > 0 && defects.length > 0 ? await baseline(defects, run) : new Set<string>();
    const tell = (outcome: DefectOutcome): void => {
      outcomes.set(outcome.defect, outcome);
      run.report(outcome);
    };
    const lane = async (): Promise<void> => {
      for (const defect of left) {
        if (run.stop.aborted) return;
        const outcome = await runDefect(defect, folder, redAnyway, run);
        if (run.stop.aborted) return;
        if (outcome.killedBy.length === 0 && outcome.error === undefined) survivors.push(defect);
        else tell(outcome);
      }
    };
    await Promise.all(Array.from({ length: run.workers }, lane));
    for (const defect of survivors) {
      const outcome = await runDefect(defect, folder, redAnyway, run);
      if (run.stop.aborted) break;
      tell(outcome);
    }
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
  return defects.flatMap((defect) => outcomes.get(defect) ?? []);
}

/** The share of red cases that nobody announced, over all defects, among the cases that were run. */
export function collateralShare(outcomes: readonly DefectOutcome[]): number {
  const red = outcomes.reduce((sum, outcome) => sum + outcome.red, 0);
  const stray = outcomes.reduce((sum, outcome) => sum + outcome.collateral.length, 0);
  return red === 0 ? 0 : stray / red;
}

/**
 * The same as the whole suite would have it: every case that lists a defect was run, of the others perhaps only some, so that each red one
 * of these stands for as many as were left out beside it.
 */
export function wholeRunShare(outcomes: readonly DefectOutcome[]): number {
  let red = 0;
  let stray = 0;
  for (const { red: found, listed, collateral, others } of outcomes) {
    const weight = others.run === 0 ? 1 : others.of / others.run;
    red += listed + (found - listed) * weight;
    stray += collateral.length * weight;
  }
  return red === 0 ? 0 : stray / red;
}

async function baseline(defects: readonly Defect[], run: DefectsRun): Promise<ReadonlySet<string>> {
  const red: string[] = [];
  const report = (result: CaseResult): void => {
    if (isRed(result)) red.push(result.case.id);
  };
  const runAll = run.runCases ?? runCases;
  const coming = defects.map((defect) => run.passing?.casesOf(defect));
  const mayRun = (one: ConcreteCase): boolean =>
    defects.some(({ id }, index) => one.kills.includes(id) || coming[index]?.has(one.id) !== false);
  const cases = run.cases.filter((one) => isUsable(one) && mayRun(one));
  const failure = await runAll(cases, run.manifest, { seed: run.seed, stop: run.stop, report });
  if (failure !== undefined) throw new ImplementationFault(failure);
  return new Set(red);
}

async function runDefect(
  defect: Defect,
  folder: string,
  redAnyway: ReadonlySet<string>,
  run: DefectsRun,
): Promise<DefectOutcome> {
  const began = performance.now();
  const lists = (one: ConcreteCase): boolean => isKiller(one) && one.kills.includes(defect.id);
  const usable = run.cases.filter((one) => isUsable(one) && !redAnyway.has(one.id));
  const unlisted = usable.filter((one) => !lists(one));
  const coming = run.passing?.casesOf(defect);
  const eligible = coming === undefined ? unlisted : unlisted.filter(({ id }) => coming.has(id));
  const others = drawCases(eligible, coming === undefined ? run.others : (run.passing?.most ?? Infinity), run, defect);
  const chosen = [...usable.filter(lists), ...others];
  const killedBy: string[] = [];
  const stray: ConcreteCase[] = [];
  let red = 0;
  let redListed = 0;
  const describe = (collateral: readonly string[], error?: string): DefectOutcome => ({
    defect,
    killedBy,
    collateral,
    red: red - stray.length + collateral.length,
    listed: redListed,
    others: { run: others.length, of: eligible.length },
    durationMs: performance.now() - began,
    ...(error === undefined ? {} : { error }),
  });
  if (!chosen.some(lists)) return describe([], 'no must-level case lists it');

  const killed = new AbortController();
  const stop = AbortSignal.any([run.stop, killed.signal]);
  const broken = await brokenManifest(run.manifest, defect, { ...run, folder });
  const report = (result: CaseResult): void => {
    if (!isRed(result)) return;
    red += 1;
    const listed = lists(result.case);
    if (listed) redListed += 1;
    if (listed && isKill(result)) killedBy.push(result.case.id);
    // A crash takes down whatever runs beside the case that caused it: that is no stray verdict.
    if (!listed && result.verdict !== 'error' && !isAffected(result.case, defect, run.cases)) stray.push(result.case);
    if (killedBy.length > 0 && run.others === 0) killed.abort();
  };
  const failure = await (run.runCases ?? runCases)(chosen, broken, { seed: run.seed, stop, report });
  return describe(await redAgain(stray, broken, run), failure);
}

/** So many of the cases, the same for one seed and one defect. */
function drawCases(
  cases: readonly ConcreteCase[],
  most: number,
  { seed }: DefectsRun,
  { id }: Defect,
): readonly ConcreteCase[] {
  if (most >= cases.length) return cases;
  const key = (one: ConcreteCase): string => createHash('sha256').update(`${seed} ${id} ${one.id}`).digest('hex');
  const keyed = cases.map((one) => ({ one, key: key(one) })).toSorted((a, b) => (a.key < b.key ? -1 : 1));
  return keyed.slice(0, most).map(({ one }) => one);
}

/**
 * Ids of the cases that are red a second time and would be in the report of a run: a busy machine alone makes no collateral damage, and a
 * case that stands on a red one is blocked.
 */
async function redAgain(stray: readonly ConcreteCase[], broken: Manifest, run: DefectsRun): Promise<readonly string[]> {
  if (stray.length === 0) return [];
  const below = run.cases.filter((one) => stray.some(({ requires = [] }) => standsOn(requires, one)));
  const results: CaseResult[] = [];
  await (run.runCases ?? runCases)([...new Set([...stray, ...below])], broken, {
    seed: run.seed,
    stop: run.stop,
    report: (result) => results.push(result),
  });
  const again = results.filter((result) => stray.includes(result.case) && isRed(result));
  return again.filter((result) => blockedBy(result, results) === undefined).map((result) => result.case.id);
}

/** Whether a case is run at all: one of random draws would write its counterexample down as a new case. */
export function isUsable({ layer, level }: ConcreteCase): boolean {
  return layer !== 'property' && layer !== 'cluster' && level !== 'observe';
}

function isRed({ verdict, fault }: CaseResult): boolean {
  return verdict === 'fail' || verdict === 'inconclusive' || (verdict === 'error' && fault === 'implementation');
}

/** A control that fails says nothing about the clause, so that an inconclusive case kills nothing. */
function isKill(result: CaseResult): boolean {
  return isRed(result) && result.verdict !== 'inconclusive';
}

function isAffected(one: ConcreteCase, defect: Defect, cases: readonly ConcreteCase[]): boolean {
  if (cites(one, defect)) return true;
  const { requires = [] } = one;
  return cases.some((other) => standsOn(requires, other) && (cites(other, defect) || other.kills.includes(defect.id)));
}

function cites(one: ConcreteCase, { clauses }: Defect): boolean {
  return one.clauses.some(({ id }) => clauses.includes(id));
}
