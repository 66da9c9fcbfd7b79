import type { ConcreteCase } from '../case/concrete-case.ts';
import { startInstance, type Instance } from '../sut/instance.ts';
import { ImplementationFault } from '../sut/session.ts';
import { startHeartbeat } from '../sut/time/fair-time.ts';
import { countAsListed, type Evidence } from '../verdict/verdict.ts';
import type { CaseResult } from './case-result.ts';
import { executeCase, withoutRun } from './execute-case.ts';
import type { Plan } from './plan.ts';
import { runPool } from './pool.ts';
import type { MissingNames } from './probe-names.ts';
import { prepareCases, releaseCase, type PreparedCase, type UnpreparedCase } from './prepare-case.ts';

/** What running one case needs. */
export interface CaseOptions {
  readonly known: (one: ConcreteCase) => Evidence['known'];
  /** Runs a case of layer `property`. */
  readonly property: (one: ConcreteCase, instance: Instance) => Promise<CaseResult>;
  readonly stop: AbortSignal;
}

/** What executing a plan needs. */
export interface ExecuteOptions extends CaseOptions {
  /** The implementation that shared and exclusive cases use. */
  readonly instance: Instance;
  readonly workers: number;
  /** Names in expressions the implementation lacks; none when absent. */
  readonly missingNames?: MissingNames;
  readonly report: (result: CaseResult) => void;
}

// Starting a process is heavy; more at once would only make each of them late.
const INSTANCES_AT_ONCE = 2;

/** Runs every case of the plan that can run; each gets exactly one result, except after `stop`. */
export async function executePlan(plan: Plan, options: ExecuteOptions): Promise<void> {
  const stopped = (): boolean => options.stop.aborted;
  const shared = plan.shared.map((batch) => runnable(batch, options));
  const endHeartbeat = startHeartbeat(async () => options.instance.configuration.beat());
  await runPool(shared, {
    workers: options.workers,
    stopped,
    prepare: async (batch) => prepare(batch, options.instance),
    run: async (prepared) => runAndReport(prepared, options),
    discard: releaseCase,
  }).finally(endHeartbeat);
  // One at a time and nothing prepared meanwhile: a canary poll would be the next request a watch takes.
  for (const batch of plan.exclusive.map((cases) => runnable(cases, options))) {
    if (stopped()) return;
    for (const prepared of await prepare(batch, options.instance)) {
      if (stopped()) await releaseCase(prepared);
      else await runAndReport(prepared, options);
    }
  }
  await runPool(
    runnable(plan.instance, options).map((one) => [one]),
    {
      workers: Math.min(options.workers, INSTANCES_AT_ONCE),
      stopped,
      prepare: async (batch) => Promise.resolve(batch),
      run: async (one) => runAlone(one, options),
      discard: async () => Promise.resolve(),
    },
  );
}

/** The cases whose features are declared; the others get their verdict here. */
function runnable(
  cases: readonly ConcreteCase[],
  { instance, missingNames, report }: ExecuteOptions,
): readonly ConcreteCase[] {
  return cases.filter((one) => {
    const features = undeclaredOf(one, instance);
    const undeclared = features.length > 0 ? features : (missingNames?.(one) ?? []);
    if (undeclared.length > 0) report(withoutRun(one, { undeclared }));
    return undeclared.length === 0;
  });
}

function undeclaredOf(one: ConcreteCase, { session }: Instance): readonly string[] {
  const missing = one.needs.filter((feature) => session.features[feature] !== true);
  return one.layer === 'cluster' ? ['a cluster', ...missing] : missing;
}

/** Prepares a batch, on a restarted implementation if the last one has crashed. */
async function prepare(
  batch: readonly ConcreteCase[],
  instance: Instance,
): Promise<readonly (PreparedCase | UnpreparedCase)[]> {
  await instance.recover();
  return prepareCases(batch, instance);
}

/** Runs a prepared case and releases it. After `stop` the result means nothing. */
export async function runOne(prepared: PreparedCase | UnpreparedCase, options: CaseOptions): Promise<CaseResult> {
  const one = prepared.case;
  await prepared.instance.recover();
  const known = options.known(one);
  const result =
    one.layer === 'property' && !('error' in prepared)
      ? asListed(await options.property(one, prepared.instance), known)
      : await executeCase(prepared, known, options.stop);
  await releaseCase(prepared);
  return result;
}

/** A property knows no list; what it came out as counts like that of any case. */
function asListed(result: CaseResult, known: Evidence['known']): CaseResult {
  const { fault: _, ...rest } = result;
  return { ...rest, ...countAsListed(result, { known, checks: result.checks }) };
}

async function runAndReport(prepared: PreparedCase | UnpreparedCase, options: ExecuteOptions): Promise<void> {
  const result = await runOne(prepared, options);
  if (!options.stop.aborted) options.report(result);
}

async function runAlone(one: ConcreteCase, options: ExecuteOptions): Promise<void> {
  let instance: Instance | undefined;
  try {
    instance = await startInstance(options.instance.manifest);
    const [prepared] = await prepareCases([one], instance);
    if (prepared !== undefined) await runAndReport(prepared, { ...options, instance });
  } catch (error) {
    if (!(error instanceof ImplementationFault)) throw error;
    const broken = { fault: 'implementation', message: error.message } as const;
    options.report(withoutRun(one, { broken, known: options.known(one) }));
  } finally {
    await instance?.stop();
  }
}
