import { readdir } from 'node:fs/promises';
import path from 'node:path';
import type { ConcreteCase } from '../case/concrete-case.ts';
import { loadRunnable } from '../load-suite.ts';
import type { CaseResult } from '../schedule/case-result.ts';
import { withoutRun } from '../schedule/execute-case.ts';
import { executePlan } from '../schedule/execute-plan.ts';
import { planRun } from '../schedule/plan.ts';
import { workersFor } from '../schedule/workers.ts';
import { startInstance } from '../sut/instance.ts';
import { loadManifest, type Manifest } from '../sut/manifest.ts';
import { ImplementationFault, UsageFault } from '../sut/session.ts';
import { packageRoot } from '../values/package-root.ts';

/** Those that the honesty probes must turn away; every other null proxy must be let in, or its zero would mean nothing. */
const LIARS: ReadonlySet<string> = new Set(['yes-adapter']);

/** Running a null proxy is mostly waiting for what never comes. */
const LANES_PER_WORKER = 2;

/** Which null proxies to run, and how. */
export interface NullsRun {
  /** All of conformance/gallery/nulls when absent. */
  readonly ids?: readonly string[];
  /** How many things the machine can do at the same time; 2 when absent. */
  readonly workers?: number;
  readonly seed?: number;
  readonly stop?: AbortSignal;
  /** The whole suite when absent. */
  readonly cases?: readonly ConcreteCase[];
}

/** What a null proxy got away with. */
export interface NullOutcome {
  readonly id: string;
  /** Ids of must-level cases that passed; there must be none. */
  readonly green: readonly string[];
  /** How many must-level cases were run. */
  readonly judged: number;
  /** Why the runner would not work with it at all. */
  readonly refused?: string;
}

/**
 * Runs every must-level case against implementations that do nothing a proxy is for. A case that passes shows nothing about an
 * implementation. Throws UsageFault for an id nobody has, and ImplementationFault when a null proxy cannot be run.
 */
export async function runNulls(run: NullsRun = {}): Promise<{ readonly nulls: readonly NullOutcome[] }> {
  const folder = path.join(packageRoot(), 'conformance/gallery/nulls');
  const ids = await chosenIds(folder, run.ids);
  const cases = (run.cases ?? (await loadRunnable({})).cases).filter(judgesNulls);
  const outcomes = new Map<string, NullOutcome>();
  const left = ids.values();
  const lane = async (): Promise<void> => {
    for (const id of left) {
      if (run.stop?.aborted === true) return;
      outcomes.set(id, await runNull(id, loadManifest(path.join(folder, `${id}.yaml`)), cases, run));
    }
  };
  await Promise.all(Array.from({ length: (run.workers ?? 2) * LANES_PER_WORKER }, lane));
  return { nulls: ids.flatMap((id) => outcomes.get(id) ?? []) };
}

/** A property writes its counterexample down as a case, and a null proxy is nothing but counterexamples. */
export function judgesNulls({ level, layer }: ConcreteCase): boolean {
  return level === 'must' && layer !== 'property';
}

async function chosenIds(folder: string, wanted: readonly string[] | undefined): Promise<readonly string[]> {
  const files = (await readdir(folder)).filter((name) => name.endsWith('.yaml'));
  const known = files.map((name) => path.basename(name, '.yaml')).toSorted();
  const unknown = (wanted ?? []).filter((id) => !known.includes(id));
  if (unknown.length > 0) throw new UsageFault(`no null proxy ${unknown.join(', ')}; known are ${known.join(', ')}`);
  return wanted ?? known;
}

async function runNull(
  id: string,
  manifest: Manifest,
  cases: readonly ConcreteCase[],
  { seed = 1, stop = new AbortController().signal }: NullsRun,
): Promise<NullOutcome> {
  const results: Pick<CaseResult, 'case' | 'verdict'>[] = [];
  try {
    const instance = await startInstance(manifest);
    try {
      await executePlan(planRun(cases, seed), {
        instance,
        workers: workersFor(manifest, manifest.tune.parallel),
        known: () => undefined,
        property: async (one) => Promise.resolve(withoutRun(one, { skipped: 'properties are not run here' })),
        stop,
        brief: true,
        report: ({ case: one, verdict }) => results.push({ case: one, verdict }),
      });
    } finally {
      await instance.stop();
    }
  } catch (error) {
    if (!(error instanceof ImplementationFault) || !LIARS.has(id)) throw error;
    return { id, green: [], judged: 0, refused: error.message };
  }
  const green = results.filter(({ verdict }) => verdict === 'pass').map((result) => result.case.id);
  return { id, green: green.toSorted(), judged: results.length };
}
