import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import type { ConcreteCase } from '../case/concrete-case.ts';
import { withoutRun } from '../schedule/execute-case.ts';
import type { CaseResult } from '../schedule/case-result.ts';
import { executePlan } from '../schedule/execute-plan.ts';
import { isolationOf, planRun } from '../schedule/plan.ts';
import { startInstance } from '../sut/instance.ts';
import type { Manifest } from '../sut/manifest.ts';
import { ImplementationFault } from '../sut/session.ts';
import { isKiller } from './check.ts';
import type { Defect } from './defects.ts';

/** How defects are run. */
export interface DefectsRun {
  /** The manifest of the reference. */
  readonly manifest: Manifest;
  /** The package: files of edits are relative to it. */
  readonly root: string;
  /** Every case of the suite. */
  readonly cases: readonly ConcreteCase[];
  /** Run the whole suite against each defect instead of stopping at the first kill. */
  readonly collateral: boolean;
  /** Defects at the same time. */
  readonly workers: number;
  readonly seed: number;
  readonly stop: AbortSignal;
  readonly report: (outcome: DefectOutcome) => void;
}

/** What became of one defect. */
export interface DefectOutcome {
  readonly defect: Defect;
  /** Red must-level cases that list the defect; only the first ones unless the whole suite was run. */
  readonly killedBy: readonly string[];
  /** Red cases that neither list the defect nor cite one of its clauses. */
  readonly collateral: readonly string[];
  /** How many cases were red. */
  readonly red: number;
  /** Why the defect says nothing: the broken reference does not start, or nothing lists it. */
  readonly error?: string;
  readonly durationMs: number;
}

/**
 * Runs each defect on a reference of its own. With `collateral` the whole suite first runs on the reference as it is: what is
 * red there is nobody's kill. Reports each outcome as it comes and returns all, in the order of the defects.
 */
export async function runDefects(defects: readonly Defect[], run: DefectsRun): Promise<readonly DefectOutcome[]> {
  const folder = await mkdtemp(path.join(tmpdir(), 'conform-gallery-'));
  const outcomes = new Map<Defect, DefectOutcome>();
  const left = defects.values();
  try {
    const redAnyway = run.collateral ? await baseline(run) : new Set<string>();
    const lane = async (): Promise<void> => {
      for (const defect of left) {
        if (run.stop.aborted) return;
        const outcome = await runDefect(defect, folder, redAnyway, run);
        if (run.stop.aborted) return;
        outcomes.set(defect, outcome);
        run.report(outcome);
      }
    };
    await Promise.all(Array.from({ length: run.workers }, lane));
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
  return defects.flatMap((defect) => outcomes.get(defect) ?? []);
}

/** The share of red cases that nobody announced, over all defects. */
export function collateralShare(outcomes: readonly DefectOutcome[]): number {
  const red = outcomes.reduce((sum, outcome) => sum + outcome.red, 0);
  const stray = outcomes.reduce((sum, outcome) => sum + outcome.collateral.length, 0);
  return red === 0 ? 0 : stray / red;
}

async function baseline(run: DefectsRun): Promise<ReadonlySet<string>> {
  const red: string[] = [];
  await runCases(run.cases.filter(isUsable), run.manifest, run, (result) => {
    if (isRed(result)) red.push(result.case.id);
  });
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
  const chosen = run.collateral ? usable : usable.filter(lists);
  const killedBy: string[] = [];
  const collateral: string[] = [];
  let red = 0;
  const describe = (error?: string): DefectOutcome => ({
    ...{ defect, killedBy, collateral, red, durationMs: performance.now() - began },
    ...(error === undefined ? {} : { error }),
  });
  if (!chosen.some(lists)) return describe('no must-level case lists it');

  const killed = new AbortController();
  const stop = AbortSignal.any([run.stop, killed.signal]);
  const broken = { ...run.manifest, extraEnv: await environmentOf(defect, folder, run.root) };
  const failure = await runCases(chosen, broken, { ...run, stop }, (result) => {
    if (!isRed(result)) return;
    red += 1;
    const listed = lists(result.case);
    if (listed && isKill(result)) killedBy.push(result.case.id);
    if (!listed && !cites(result.case, defect)) collateral.push(result.case.id);
    if (killedBy.length > 0 && !run.collateral) killed.abort();
  });
  return describe(failure);
}

/** Runs cases on an implementation of their own. Returns why it does not even start. */
async function runCases(
  cases: readonly ConcreteCase[],
  manifest: Manifest,
  { seed, stop }: Pick<DefectsRun, 'seed' | 'stop'>,
  report: (result: CaseResult) => void,
): Promise<string | undefined> {
  try {
    const instance = await startInstance(cases.some(needsAdapter) ? manifest : withoutAdapter(manifest));
    try {
      await executePlan(planRun(cases, seed), {
        instance,
        workers: manifest.tune.parallel,
        known: () => undefined,
        property: async (one) => Promise.resolve(withoutRun(one, { skipped: 'random draws prove nothing here' })),
        stop,
        report,
      });
    } finally {
      await instance.stop();
    }
    return undefined;
  } catch (error) {
    if (error instanceof ImplementationFault) return `the broken reference cannot be used: ${error.message}`;
    throw error;
  }
}

/** The variables that make every process of the implementation load the broken sources. */
async function environmentOf(
  { id, edits }: Defect,
  folder: string,
  root: string,
): Promise<Readonly<Record<string, string>>> {
  const file = path.join(folder, `${id}.json`);
  await writeFile(file, JSON.stringify({ root, edits }));
  const hook = pathToFileURL(path.join(root, 'conformance/gallery/apply-defect.mjs')).href;
  const options = [process.env['NODE_OPTIONS'], `--import=${hook}`].filter((option) => option !== undefined).join(' ');
  return { CONFORM_DEFECT: file, NODE_OPTIONS: options };
}

/** A case of random draws would write its counterexample down as a new case. */
function isUsable({ layer, level }: ConcreteCase): boolean {
  return layer !== 'property' && layer !== 'cluster' && level !== 'observe';
}

function isRed({ verdict, fault }: CaseResult): boolean {
  return verdict === 'fail' || verdict === 'inconclusive' || (verdict === 'error' && fault === 'implementation');
}

/** A control that fails says nothing about the clause, so that an inconclusive case kills nothing. */
function isKill(result: CaseResult): boolean {
  return isRed(result) && result.verdict !== 'inconclusive';
}

function cites(one: ConcreteCase, { clauses }: Defect): boolean {
  return one.clauses.some(({ id }) => clauses.includes(id));
}

const WITHOUT_ADAPTER: ReadonlySet<string> = new Set(['http', 'raw', 'trace', 'await', 'cli']);

/** The adapter is a process more per defect; cases that only speak over the wire do not miss it. */
function needsAdapter(one: ConcreteCase): boolean {
  if (one.expect.config !== undefined || isolationOf(one) === 'instance') return true;
  return one.steps.some(({ kind }) => !WITHOUT_ADAPTER.has(kind));
}

function withoutAdapter({ adapter: _, ...manifest }: Manifest): Manifest {
  return manifest;
}
