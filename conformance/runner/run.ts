import { randomInt } from 'node:crypto';
import { mkdir } from 'node:fs/promises';
import type { ConcreteCase } from './case/concrete-case.ts';
import { inNamespace } from './case/in-namespace.ts';
import { namespaceOf } from './case/vary.ts';
import { loadKnown } from './load-known.ts';
import { loadRunnable } from './load-suite.ts';
import type { RunEnd, RunStart } from './report/events.ts';
import { beginRun, faultEnding, plainEnding, runEnd, type Ending } from './run-end.ts';
import type { RunRequest } from './run-request.ts';
import { openResults, type Results } from './run-results.ts';
import { withoutRun } from './schedule/execute-case.ts';
import { executePlan, type ExecuteOptions } from './schedule/execute-plan.ts';
import { planRun } from './schedule/plan.ts';
import { startInstance, type Instance } from './sut/instance.ts';
import { loadManifest, type Manifest } from './sut/manifest.ts';
import { missingPrograms } from './sut/requirements.ts';
import { knownFailure, type KnownFailure } from './verdict/known-failures.ts';

/**
 * THE SPINE: load, plan, execute and judge, report. The reporters always hear of the end, whatever happens. Throws UsageFault for
 * a mistake in the request or the cases.
 */
export async function runSuite(request: RunRequest): Promise<RunEnd> {
  const { selection, reporters, today } = request;
  const manifest = loadManifest(request.manifestFile, request.dialect);
  const known = await loadKnown(request.known, manifest);
  // Before the implementation starts: reading keeps this process busy, and the limits of the start would run meanwhile.
  const suite = await loadRunnable({ folder: request.cases, selection, besides: known.map((entry) => entry.case) });
  await mkdir(request.out, { recursive: true });
  const run = runStart(request, manifest, suite.cases);
  for (const reporter of reporters) reporter.started?.(run);
  const begun = beginRun(run);
  const results = openResults(reporters, request);
  const ending = await execute(suite.cases, { request, manifest, known, run, results });
  const end = runEnd(begun, results.all, ending, { entries: known, cases: suite.read, today });
  for (const reporter of reporters) await reporter.ended(end);
  return end;
}

function runStart(request: RunRequest, manifest: Manifest, cases: readonly ConcreteCase[]): RunStart {
  return {
    implementation: manifest.implementation,
    manifest: request.manifestFile,
    seed: request.seed ?? randomInt(2 ** 31),
    total: cases.length * request.repeat,
    workers: request.workers ?? manifest.tune.parallel,
  };
}

interface Execution {
  readonly request: RunRequest;
  readonly manifest: Manifest;
  readonly known: readonly KnownFailure[];
  readonly run: RunStart;
  readonly results: Results;
}

/** Every round of the cases on one implementation, each in its own order. Never rejects. */
async function execute(cases: readonly ConcreteCase[], execution: Execution): Promise<Ending> {
  const { request, manifest, run, results } = execution;
  const rounds = Array.from({ length: request.repeat }, (_, round) => ofRound(cases, round));
  const lacking = missingPrograms(manifest.run.requires ?? []);
  if (lacking.length > 0) {
    const skipped = `this machine has no ${lacking.join(', ')}`;
    for (const one of rounds.flat()) results.add(withoutRun(one, { skipped }));
    return { crashes: 0 };
  }
  let instance: Instance | undefined;
  try {
    instance = await startInstance(manifest);
    const stop = AbortSignal.any([request.stop, results.bailed]);
    for (const [round, ordered] of rounds.entries()) {
      if (stop.aborted) break;
      const options = executeOptions(execution, {
        instance,
        stop,
        round: request.repeat === 1 ? undefined : round + 1,
      });
      await executePlan(planRun(ordered, run.seed + round), options);
    }
    return plainEnding(instance.crashes(), { user: request.stop, bail: results.bailed });
  } catch (error) {
    return faultEnding(error, request.stop);
  } finally {
    await instance?.stop();
  }
}

/** What an implementation remembers of a round (a cache, a used up limit) must not meet the next one. */
function ofRound(cases: readonly ConcreteCase[], round: number): readonly ConcreteCase[] {
  return round === 0 ? cases : cases.map((one) => inNamespace(one, namespaceOf(`${one.id} round ${round + 1}`)));
}

interface Round extends Pick<ExecuteOptions, 'instance' | 'stop'> {
  /** From 1; undefined when there is only one. */
  readonly round: number | undefined;
}

function executeOptions({ request, known, run, results }: Execution, { instance, stop, round }: Round): ExecuteOptions {
  return {
    instance,
    stop,
    workers: run.workers,
    known: (one) => knownFailure(known, one.id, request.today),
    property: async (one, on) => {
      // Loaded for the first property only: the generators are heavy and the first verdict does not need them.
      const { runProperty } = await import('./fuzz/run-property.ts');
      return runProperty(one, on, { seed: run.seed, signal: stop, regressions: request.regressions });
    },
    report: (result) => results.add(round === undefined ? result : { ...result, round }),
  };
}
