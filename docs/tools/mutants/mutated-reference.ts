import { existsSync, mkdirSync, readdirSync, readFileSync, renameSync, rmSync, watch, writeFileSync } from 'node:fs';
import path from 'node:path';
import type { ConcreteCase } from '../../../conformance/runner/case/concrete-case.ts';
import type { CaseResult } from '../../../conformance/runner/schedule/case-result.ts';
import { withoutRun } from '../../../conformance/runner/schedule/execute-case.ts';
import { executePlan } from '../../../conformance/runner/schedule/execute-plan.ts';
import { planRun } from '../../../conformance/runner/schedule/plan.ts';
import { workersFor } from '../../../conformance/runner/schedule/workers.ts';
import { startInstance, type Instance } from '../../../conformance/runner/sut/instance.ts';
import type { Manifest } from '../../../conformance/runner/sut/manifest.ts';
import { ImplementationFault } from '../../../conformance/runner/sut/session.ts';

/** How often each switch was passed. */
export type Covered = ReadonlyMap<string, number>;

/** A reference that runs with all its mutants, of which one at most is switched on. */
export interface MutatedReference {
  /** Switches a mutant on in every process, or with undefined all off. */
  readonly turnTo: (mutant: string | undefined) => Promise<void>;
  /** What was covered since the last call. */
  readonly covered: () => Promise<Covered>;
  /** Runs cases until the first that says something against the reference; all of them with `whole`. */
  readonly run: (cases: readonly ConcreteCase[], whole?: 'whole') => Promise<readonly CaseResult[]>;
  readonly stop: () => Promise<void>;
}

/** Starts it, with a mutant switched on from the first line that it loads if one is named. Throws ImplementationFault. */
export async function startMutated(
  manifest: Manifest,
  { main, folder, mutant }: { readonly main: string; readonly folder: string; readonly mutant?: string },
): Promise<MutatedReference> {
  rmSync(folder, { recursive: true, force: true });
  for (const kind of ['', 'orders', 'running', 'done', 'covered'])
    mkdirSync(path.join(folder, kind), { recursive: true });
  let turn = 0;
  order({ active: mutant, told: false });
  const instance = await startInstance(mutatedManifest(manifest, main, folder));

  function order(what: { readonly active: string | undefined; readonly told: boolean }): void {
    turn += 1;
    const file = path.join(folder, 'orders/order.json');
    writeFileSync(`${file}.new`, JSON.stringify({ turn, ...what }));
    renameSync(`${file}.new`, file);
  }
  let active = mutant;
  const tell = async (told: boolean): Promise<void> => {
    order({ active, told });
    await heardBy(turn, folder);
  };
  return {
    turnTo: async (next) => {
      active = next;
      await tell(false);
    },
    covered: async () => {
      await tell(true);
      return readCovered(turn, folder);
    },
    run: (cases, whole) => runCases(cases, instance, whole === 'whole'),
    stop: () => instance.stop(),
  };
}

/** The manifest of the reference with the instrumented bundle in place of its command. */
function mutatedManifest(manifest: Manifest, main: string, folder: string): Manifest {
  const other = (words: readonly string[]): string[] =>
    words.map((word) => (word === 'node' ? process.execPath : word.endsWith('/bin/refproxy.mjs') ? main : word));
  const { run, adapter, cli } = manifest;
  if (run.kind !== 'process') throw new Error('the reference is a process');
  return {
    ...manifest,
    run: { ...run, command: other(run.command) },
    ...(adapter === undefined ? {} : { adapter: other(adapter) }),
    ...(cli === undefined ? {} : { cli: { ...cli, trace: other(cli.trace) } }),
    extraEnv: { MUTANTS_DIR: folder },
  };
}

/** Resolves when every process that runs has done what the order of this turn says. Throws ImplementationFault for one that does not. */
async function heardBy(turn: number, folder: string): Promise<void> {
  const told = readdirSync(path.join(folder, 'running')).filter((name) => /^\d+$/.test(name));
  const done = path.join(folder, 'done');
  const isLeft = (pid: string): boolean => !existsSync(path.join(done, `${turn}-${pid}`)) && isRunning(pid, folder);
  await new Promise<void>((resolve, reject) => {
    const watcher = watch(done, look);
    const timer = setTimeout(() => {
      watcher.close();
      if (told.some(isLeft)) reject(new ImplementationFault('a process of the reference hears nothing any more'));
      else resolve();
    }, DEAF_MS);
    look();
    function look(): void {
      if (told.some(isLeft)) return;
      clearTimeout(timer);
      watcher.close();
      resolve();
    }
  });
}

/** A mutant may keep a process busy for ever. */
const DEAF_MS = 20_000;

/** Whether this process is still the one that said so: one that was killed has not taken its name back, and its number may be given anew. */
function isRunning(pid: string, folder: string): boolean {
  try {
    return readFileSync(`/proc/${pid}/environ`, 'utf8').includes(`MUTANTS_DIR=${folder}`);
  } catch {
    return false;
  }
}

function readCovered(turn: number, folder: string): Covered {
  const covered = new Map<string, number>();
  for (const name of readdirSync(path.join(folder, 'covered'))) {
    // What ended since the last order has left its own.
    if (!/^(\d+|ended)-\d+$/.test(name) || (!name.startsWith(`${turn}-`) && !name.startsWith('ended-'))) continue;
    const file = path.join(folder, 'covered', name);
    const counts = JSON.parse(readFileSync(file, 'utf8')) as Record<string, number>;
    rmSync(file);
    for (const [id, count] of Object.entries(counts)) covered.set(id, (covered.get(id) ?? 0) + count);
  }
  return covered;
}

/** Whether a result accuses the reference. A control that fails does, too: the mutant broke what the control is there to show. */
export function accuses({ verdict, fault }: CaseResult): boolean {
  return verdict === 'fail' || verdict === 'inconclusive' || (verdict === 'error' && fault === 'implementation');
}

async function runCases(
  cases: readonly ConcreteCase[],
  instance: Instance,
  whole: boolean,
): Promise<readonly CaseResult[]> {
  const results: CaseResult[] = [];
  const seen = new AbortController();
  await executePlan(planRun(cases, 1), {
    instance,
    workers: workersFor(instance.manifest),
    known: () => undefined,
    property: async (one) => Promise.resolve(withoutRun(one, { skipped: 'random draws prove nothing here' })),
    stop: seen.signal,
    brief: true,
    report: (result) => {
      results.push(result);
      if (!whole && accuses(result)) seen.abort();
    },
  });
  return results;
}
