import type { ConcreteCase } from './case/concrete-case.ts';
import { inNamespace } from './case/in-namespace.ts';
import { namespaceOf } from './case/vary.ts';
import type { RunStart } from './report/events.ts';
import { faultEnding, plainEnding, type Ending } from './run-end.ts';
import type { RunRequest } from './run-request.ts';
import type { Results } from './run-results.ts';
import { withoutRun } from './schedule/execute-case.ts';
import { executePlan, type CaseOptions } from './schedule/execute-plan.ts';
import type { PastDurations } from './schedule/past-durations.ts';
import type { MissingNames, NameProbes } from './schedule/probe-names.ts';
import { planRun } from './schedule/plan.ts';
import type { Workers } from './schedule/workers.ts';
import { startInstance, type Instance } from './sut/instance.ts';
import { instanceLimit } from './sut/instance-limit.ts';
import type { Manifest } from './sut/manifest.ts';
import { missingPrograms } from './sut/requirements.ts';
import { NAMES_ANSWER } from './values/expressions/vocabulary.ts';
import { knownFailure, type KnownFailure } from './verdict/known-failures.ts';

/** Everything a run is made of. */
export interface Execution {
  readonly request: RunRequest;
  readonly manifest: Manifest;
  readonly known: readonly KnownFailure[];
  readonly run: RunStart;
  readonly results: Results;
  /** Every case that was read: more than those that run. */
  readonly read: readonly ConcreteCase[];
  readonly workers: Workers;
  readonly past: PastDurations;
}

/** Every round of the cases on one implementation, each in its own order. Never rejects. */
export async function executeRounds(cases: readonly ConcreteCase[], execution: Execution): Promise<Ending> {
  const { request, manifest, run, results, workers, past } = execution;
  const rounds = Array.from({ length: request.repeat }, (_, round) => ofRound(cases, round));
  const lacking = missingPrograms(manifest.run.requires ?? []);
  if (lacking.length > 0) return skipAll(rounds.flat(), `this machine has no ${lacking.join(', ')}`, results);
  if (cases.length === 0) return { crashes: 0 };
  const stop = AbortSignal.any([request.stop, results.bailed]);
  let instance: Instance | undefined;
  let crashes = 0;
  try {
    instance = await startInstance(manifest);
    const missingNames = await missingNamesOf(instance, { cases, read: execution.read, stop });
    for (const [round, ordered] of rounds.entries()) {
      if (stop.aborted) break;
      const plan = planRun(ordered, run.seed + round, {
        past,
        batch: manifest.tune.batch,
        oneByOne: run.attended === true,
      });
      await executePlan(plan, {
        ...caseOptions(execution, stop),
        instance,
        ...(missingNames === undefined ? {} : { missingNames }),
        instances: instanceLimit(manifest),
        workers,
        report: (result) => results.take(request.repeat === 1 ? result : { ...result, round: round + 1 }),
        countCrashes: (more) => (crashes += more),
      });
    }
    return plainEnding(instance.crashes() + crashes, { user: request.stop, bail: results.bailed });
  } catch (error) {
    return faultEnding(error, request.stop);
  } finally {
    await instance?.stop();
  }
}

/** Undefined where nothing is missing. The parser of expressions is heavy, and the first verdict waits for it. */
async function missingNamesOf(instance: Instance, probes: NameProbes): Promise<MissingNames | undefined> {
  if (instance.session.unspecified[NAMES_ANSWER] === 'all') return undefined;
  // Who applies configurations by hand is not asked to do it for anything but the cases.
  if (instance.manifest.attendant !== undefined) return undefined;
  const { findMissingNames } = await import('./schedule/probe-names.ts');
  return findMissingNames(instance, probes);
}

function skipAll(cases: readonly ConcreteCase[], skipped: string, { add }: Results): Ending {
  for (const one of cases) add(withoutRun(one, { skipped }));
  return { crashes: 0 };
}

/** What an implementation remembers of a round (a cache, a used up limit) must not meet the next one. */
function ofRound(cases: readonly ConcreteCase[], round: number): readonly ConcreteCase[] {
  return round === 0 ? cases : cases.map((one) => inNamespace(one, namespaceOf(`${one.id} round ${round + 1}`)));
}

/** What each case of the run is run with, wherever it is run. */
export function caseOptions({ request, known, run }: Execution, stop: AbortSignal): CaseOptions {
  return {
    stop,
    thorough: request.evidence === true,
    known: (one) => knownFailure(known, one.id, request.today),
    property: async (one, on) => {
      // Loaded for the first property only: the generators are heavy and the first verdict does not need them.
      const { runProperty } = await import('./fuzz/run-property.ts');
      return runProperty(one, on, { seed: run.seed, signal: stop, regressions: request.regressions });
    },
  };
}
