import type { ConcreteCase } from '../case/concrete-case.ts';
import { startInstance, type Instance } from '../sut/instance.ts';
import { ImplementationFault, type Session } from '../sut/session.ts';
import { startHeartbeat } from '../sut/time/fair-time.ts';
import { countAsListed, type Evidence } from '../verdict/verdict.ts';
import { isObject } from '../values/json.ts';
import type { CaseResult } from './case-result.ts';
import { executeCase, withoutRun } from './execute-case.ts';
import type { Plan } from './plan.ts';
import { runPool } from './pool.ts';
import type { MissingNames } from './probe-names.ts';
import { needsLive, prepareCases, releaseCase, type PreparedCase, type UnpreparedCase } from './prepare-case.ts';
import { fixedWorkers, type Workers } from './workers.ts';

/** What running one case needs. */
export interface CaseOptions {
  readonly known: (one: ConcreteCase) => Evidence['known'];
  /** Runs a case of layer `property`. */
  readonly property: (one: ConcreteCase, instance: Instance) => Promise<CaseResult>;
  readonly stop: AbortSignal;
  /** Only whether a case passes matters: it ends at its first failure, and nothing is kept for a reader. */
  readonly brief?: boolean;
  /** What was seen is kept of cases that went well, too. */
  readonly thorough?: boolean;
}

/** What executing a plan needs. */
export interface ExecuteOptions extends CaseOptions {
  /** The implementation that cases share. */
  readonly instance: Instance;
  /** How many of the implementation may run at the same time, that one included; 1 when absent. */
  readonly instances?: number;
  readonly workers: Workers;
  /** Names in expressions the implementation lacks; none when absent. */
  readonly missingNames?: MissingNames;
  readonly report: (result: CaseResult) => void;
  /** Hears how often an instance that was started here has crashed. */
  readonly countCrashes?: (crashes: number) => void;
}

/**
 * Runs every case of the plan that can run; each gets exactly one result, except after `stop`. Where the implementation may run more
 * than once, cases during which nothing else may send have instances to themselves and run beside the others.
 */
export async function executePlan(plan: Plan, options: ExecuteOptions): Promise<void> {
  const { instances = 1 } = options;
  const begun = Promise.withResolvers<void>();
  const fault = new AbortController();
  const told = {
    ...options,
    stop: AbortSignal.any([options.stop, fault.signal]),
    report: (result: CaseResult): void => {
      options.report(result);
      begun.resolve();
    },
  };
  const shared = runShared(plan, told).finally(begun.resolve);
  const apart = async (): Promise<void> => {
    // Starting a program takes the CPU that the first verdict needs.
    await (instances > 1 ? begun.promise : shared);
    await runExclusive(plan, shared, told);
    await runOwn(plan, told);
  };
  await allOf([shared, apart()], fault);
}

/** Waits for all of them, also when one rejects: that is told to the others, and then it rejects with the first error. */
async function allOf(works: readonly Promise<void>[], fault: AbortController): Promise<void> {
  for (const work of works) work.catch(() => fault.abort());
  const ended = await Promise.allSettled(works);
  for (const end of ended) if (end.status === 'rejected') throw end.reason;
}

async function runShared(plan: Plan, options: ExecuteOptions): Promise<void> {
  const { instance, workers, stop } = options;
  const endHeartbeat = startHeartbeat(async () => instance.configuration.revisions.beat());
  await runPool(
    plan.shared.map((batch) => runnable(batch, options)),
    {
      workers,
      stopped: () => stop.aborted,
      prepare: async (batch) => prepare(batch, instance),
      run: async (prepared) => runAndReport(prepared, options),
      discard: releaseCase,
    },
  ).finally(endHeartbeat);
}

/** Cases during which nothing else may send: on instances that nobody shares while others share one, otherwise after them. */
async function runExclusive(plan: Plan, shared: Promise<void>, options: ExecuteOptions): Promise<void> {
  const batches = plan.exclusive.map((cases) => runnable(cases, options)).filter((batch) => batch.length > 0);
  if (batches.length === 0) return;
  const apart = plan.shared.length > 0 ? await startApart(batches.length, options) : [];
  const fault = new AbortController();
  const told = { ...options, stop: AbortSignal.any([options.stop, fault.signal]) };
  // One list for all of them: who is done takes the next batch.
  const waiting = batches.values();
  try {
    if (apart.length === 0) await shared;
    const places = apart.length === 0 ? [options.instance] : apart;
    await allOf(
      places.map(async (instance) => runOneByOne(waiting, instance, told)),
      fault,
    );
  } finally {
    for (const instance of apart) {
      await instance.stop();
      options.countCrashes?.(instance.crashes());
    }
  }
}

/** As many as may run beside the shared one, `most` at the most; fewer where one does not come up beside the others. */
async function startApart(
  most: number,
  { instance, instances = 1, stop }: ExecuteOptions,
): Promise<readonly Instance[]> {
  const started: Instance[] = [];
  try {
    while (started.length < Math.min(most, instances - 1) && !stop.aborted)
      started.push(await startInstance(instance.manifest, 'exclusive'));
  } catch (error) {
    if (!(error instanceof ImplementationFault)) {
      await Promise.all(started.map(async (one) => one.stop()));
      throw error;
    }
  }
  return started;
}

/** Nothing is prepared meanwhile: a canary poll would be the next request a watch takes. */
async function runOneByOne(
  batches: Iterable<readonly ConcreteCase[]>,
  instance: Instance,
  options: ExecuteOptions,
): Promise<void> {
  for (const batch of batches) {
    if (options.stop.aborted) return;
    let fault: { readonly error: unknown } | undefined;
    for (const prepared of await prepare(batch, instance)) {
      if (options.stop.aborted || fault !== undefined) await releaseCase(prepared);
      else await runAndReport(prepared, options).catch((error: unknown) => void (fault = { error }));
    }
    if (fault !== undefined) throw fault.error;
  }
}

// Starting a process is heavy; more at once would only make each of them late.
const INSTANCES_AT_ONCE = 2;

/** Cases that each want an implementation of their own. */
async function runOwn(plan: Plan, options: ExecuteOptions): Promise<void> {
  const { instances = 1, workers, stop } = options;
  await runPool(
    runnable(plan.instance, options).map((one) => [one]),
    {
      workers: fixedWorkers(Math.max(1, Math.min(workers.most, INSTANCES_AT_ONCE, instances - 1))),
      stopped: () => stop.aborted,
      prepare: async (batch) => Promise.resolve(batch),
      run: async (one) => runInOwn(one, options),
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
  if (session.admissionOnly === true) return beyondAdmission(one, session);
  const missing = one.needs.filter((feature) => session.features[feature] !== true);
  return one.layer === 'cluster' ? ['a cluster', ...missing] : missing;
}

/** What keeps a case from being decided by what is accepted alone: its features are of a data plane, so nobody is asked for them. */
function beyondAdmission(one: ConcreteCase, { ops }: Session): readonly string[] {
  if (one.vantage === 'trace' || one.layer === 'cluster' || needsLive(one)) return [NO_DATA_PLANE];
  const asked = one.steps.flatMap(({ kind, input }) => (kind === 'op' && isObject(input) ? Object.keys(input) : []));
  return [...new Set(asked)].filter((name) => !ops.includes(name)).map((name) => `op.${name}`);
}

const NO_DATA_PLANE = 'traffic, and run.kind admission has no data plane';

/** Prepares a batch, on a restarted implementation if the last one has crashed. */
async function prepare(
  batch: readonly ConcreteCase[],
  instance: Instance,
): Promise<readonly (PreparedCase | UnpreparedCase)[]> {
  await bringBack(instance);
  return prepareCases(batch, instance);
}

/** Starts an implementation again that has crashed. Throws ImplementationFault where nobody here can: no later case could say anything. */
async function bringBack(instance: Instance): Promise<void> {
  const { session, manifest } = instance;
  if (!(await instance.recover()) && manifest.run.kind === 'url')
    throw new ImplementationFault(session.crashed() ?? 'the implementation is gone');
}

/** Runs a prepared case and releases it. After `stop` the result means nothing. */
export async function runOne(prepared: PreparedCase | UnpreparedCase, options: CaseOptions): Promise<CaseResult> {
  const one = prepared.case;
  const { instance } = prepared;
  try {
    await bringBack(instance);
  } catch (error) {
    await releaseCase(prepared);
    throw error;
  }
  const known = options.known(one);
  const result =
    one.layer === 'property' && !('error' in prepared)
      ? asListed(await options.property(one, instance), known)
      : await executeCase(prepared, { known, stop: options.stop, brief: options.brief, thorough: options.thorough });
  await releaseCase(prepared);
  return instance.role === 'shared' ? result : { ...result, instance: instance.role };
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

async function runInOwn(one: ConcreteCase, options: ExecuteOptions): Promise<void> {
  let own: Instance | undefined;
  try {
    own = await startInstance(options.instance.manifest, 'own');
    const [prepared] = await prepareCases([one], own);
    if (prepared !== undefined) await runAndReport(prepared, options);
  } catch (error) {
    if (!(error instanceof ImplementationFault)) throw error;
    const broken = { fault: 'implementation', message: error.message } as const;
    options.report(withoutRun(one, { broken, known: options.known(one) }));
  } finally {
    await own?.stop();
    options.countCrashes?.(own?.crashes() ?? 0);
  }
}
