import { writeFile } from 'node:fs/promises';
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import type { ConcreteCase } from '../case/concrete-case.ts';
import { withoutRun } from '../schedule/execute-case.ts';
import type { CaseResult } from '../schedule/case-result.ts';
import { executePlan } from '../schedule/execute-plan.ts';
import { isolationOf } from '../case/isolation.ts';
import { planRun } from '../schedule/plan.ts';
import { workersFor } from '../schedule/workers.ts';
import { startInstance } from '../sut/instance.ts';
import type { Manifest } from '../sut/manifest.ts';
import { ImplementationFault, UsageFault } from '../sut/session.ts';
import type { Sources } from './declarations.ts';
import type { Defect } from './defects.ts';
import { locateEdits } from './locate-edits.ts';

/** How cases are run on one instance of the reference. */
export interface CasesRun {
  readonly seed: number;
  readonly stop: AbortSignal;
  readonly report: (result: CaseResult) => void;
}

/** The manifest of the reference with the variables that make each of its processes load the broken sources. */
export async function brokenManifest(
  manifest: Manifest,
  { id, place, edits, declares }: Defect,
  { folder, root, sources }: { readonly folder: string; readonly root: string; readonly sources: Sources },
): Promise<Manifest> {
  const { replacements, problems } = locateEdits(edits, sources);
  if (problems.length > 0) throw new UsageFault(`${place}: ${id}: ${problems.join('; ')}`);
  const file = path.join(folder, `${id}.json`);
  await writeFile(file, JSON.stringify({ root, replacements }));
  return {
    ...manifest,
    ...declaredOf(manifest, declares),
    extraEnv: { CONFORM_DEFECT: file, NODE_OPTIONS: preloading('apply-defect.mjs', root) },
  };
}

/** What a manifest says of open points and of features, with what a lawful variant declares in their place. */
function declaredOf(
  { unspecified, features }: Manifest,
  declares: Defect['declares'] = {},
): Pick<Manifest, 'unspecified' | 'features'> {
  const answers = new Map(Object.entries(unspecified));
  const can = new Map(Object.entries(features));
  for (const [name, said] of Object.entries(declares)) {
    if (typeof said === 'boolean') can.set(name, said);
    else if (said === null) answers.delete(name);
    else answers.set(name, said);
  }
  return { unspecified: Object.fromEntries(answers), features: Object.fromEntries(can) };
}

/** NODE_OPTIONS with a hook of the gallery, which also makes the reference run from its sources. */
export function preloading(hook: string, root: string): string {
  const { href } = pathToFileURL(path.join(root, 'conformance/gallery', hook));
  return [process.env['NODE_OPTIONS'], `--import=${href}`].filter((option) => option !== undefined).join(' ');
}

/** Runs cases on an implementation of their own. Returns why it cannot be used at all, if so. Never a case of random draws. */
export async function runCases(
  cases: readonly ConcreteCase[],
  manifest: Manifest,
  { seed, stop, report }: CasesRun,
): Promise<string | undefined> {
  try {
    const instance = await startInstance(neededOf(manifest, cases));
    try {
      await executePlan(planRun(cases, seed), {
        instance,
        workers: workersFor(manifest),
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
    if (error instanceof ImplementationFault) return `the reference cannot be used: ${error.message}`;
    throw error;
  }
}

/** Starting a program is what a defect costs most, so what none of its cases speaks to is not started. */
export function neededOf(manifest: Manifest, cases: readonly ConcreteCase[]): Manifest {
  if (!cases.some(needsAdapter)) return { ...manifest, adapter: undefined };
  return cases.every(asksOnly) ? withoutProxy(manifest) : manifest;
}

const WITHOUT_ADAPTER: ReadonlySet<string> = new Set(['http', 'a2a', 'mcp', 'raw', 'trace', 'await', 'cli']);

function needsAdapter(one: ConcreteCase): boolean {
  if (one.expect.config !== undefined || isolationOf(one) === 'instance') return true;
  return one.steps.some(({ kind }) => !WITHOUT_ADAPTER.has(kind));
}

/** Whether the adapter answers everything the case asks. */
export function asksOnly(one: ConcreteCase): boolean {
  return one.expect.config === undefined && isolationOf(one) === 'host' && one.steps.every(({ kind }) => kind === 'op');
}

/** The adapter beside a program that does nothing. */
function withoutProxy(manifest: Manifest): Manifest {
  const { run } = manifest;
  if (run.kind !== 'process') return manifest;
  return { ...manifest, run: { ...run, command: ['sleep', '600'], ready: { ...run.ready, canary: false } } };
}
