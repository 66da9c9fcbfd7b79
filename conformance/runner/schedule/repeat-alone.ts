import type { ConcreteCase } from '../case/concrete-case.ts';
import { isolationOf } from '../case/isolation.ts';
import { inNamespace } from '../case/in-namespace.ts';
import { namespaceOf } from '../case/vary.ts';
import { startInstance, type Instance } from '../sut/instance.ts';
import type { Manifest } from '../sut/manifest.ts';
import { ImplementationFault } from '../sut/session.ts';
import { isOfQuietMachine, settle } from '../verdict/settle.ts';
import type { CaseResult } from './case-result.ts';
import { withoutRun } from './execute-case.ts';
import { runOne, type CaseOptions } from './execute-plan.ts';
import { prepareCases } from './prepare-case.ts';
import { seenOnce } from './seen-once.ts';

/** What repeating needs. */
export interface RepeatOptions extends CaseOptions {
  readonly manifest: Manifest;
  /** Gets each result when it is settled: as it was, of another attempt, or unstable. */
  readonly report: (result: CaseResult) => void;
  readonly stop: AbortSignal;
}

/** So many in a row that came out the same show that the others of their kind would. */
const BELIEVED_AFTER = 32;

/**
 * Settles provisional results: each case is repeated alone, on an implementation that was started for this, until its attempts say what
 * they come to. Cases of a busy machine come first and are all repeated; those of a quiet one are taken at their word once many in a
 * row were right. After `stop` the rest is reported as it was seen once. All results of a case are settled by the same attempts.
 */
export async function repeatAlone(results: readonly CaseResult[], options: RepeatOptions): Promise<void> {
  const groups = [...Map.groupBy(results, (result) => result.case.id).values()].toSorted(
    (one, other) => Number(isQuiet(one)) - Number(isQuiet(other)),
  );
  const place = createPlace(options.manifest);
  let confirmed = 0;
  try {
    for (const group of groups) {
      const isBelieved = isQuiet(group) && confirmed >= BELIEVED_AFTER;
      const attempts = isBelieved || options.stop.aborted ? undefined : await attemptAlone(group, place, options);
      const settled = group.map((result) =>
        attempts === undefined ? seenOnce(result) : settledResult(result, attempts),
      );
      confirmed = settled.some(({ verdict }) => verdict === 'unstable') ? 0 : confirmed + 1;
      for (const result of settled) options.report(result);
    }
  } finally {
    await place.stop();
  }
}

function isQuiet(group: readonly CaseResult[]): boolean {
  return group.every(isOfQuietMachine);
}

/** The attempts that settle every result of one case; undefined when the run is stopped meanwhile. */
async function attemptAlone(
  group: readonly CaseResult[],
  place: Place,
  options: RepeatOptions,
): Promise<readonly CaseResult[] | undefined> {
  const attempts: CaseResult[] = [];
  while (group.some((result) => settle([result, ...attempts]).kind === 'again')) {
    const [first] = group;
    if (first === undefined || options.stop.aborted) return undefined;
    const { id } = first.case;
    // What an implementation remembers of one attempt must not meet the next one.
    const one = inNamespace(first.case, namespaceOf(`${id} round ${first.round ?? 1} alone ${attempts.length + 1}`));
    const attempt = await place.run(one, options);
    if (options.stop.aborted) return undefined;
    attempts.push({ ...attempt, case: first.case });
  }
  return attempts;
}

function settledResult(first: CaseResult, attempts: readonly CaseResult[]): CaseResult {
  const settlement = settle([first, ...attempts]);
  if (settlement.kind === 'unstable') {
    const { fault: _, ...rest } = first;
    return { ...rest, verdict: 'unstable', reason: settlement.reason, attempts };
  }
  const stands = settlement.kind === 'final' ? [first, ...attempts][settlement.attempt] : first;
  return { ...(stands ?? first), ...(first.round === undefined ? {} : { round: first.round }), attempts };
}

/** Where nothing runs but the case. */
interface Place {
  readonly run: (one: ConcreteCase, options: RepeatOptions) => Promise<CaseResult>;
  readonly stop: () => Promise<void>;
}

function createPlace(manifest: Manifest): Place {
  let instance: Instance | undefined;
  const stop = async (): Promise<void> => {
    const old = instance;
    instance = undefined;
    await old?.stop();
  };
  return {
    stop,
    run: async (one, options) => {
      if (isolationOf(one) === 'instance' || instance?.session.crashed() !== undefined) await stop();
      try {
        instance ??= await startInstance(manifest, 'alone');
        const [prepared] = await prepareCases([one], instance);
        return prepared === undefined ? withoutRun(one, NOTHING) : await runOne(prepared, options);
      } catch (error) {
        // Another start of what somebody else runs would come to the same.
        if (!(error instanceof ImplementationFault) || manifest.run.kind === 'url') throw error;
        const broken = { fault: 'implementation', message: error.message } as const;
        return withoutRun(one, { broken, known: options.known(one) });
      }
    },
  };
}

const NOTHING = { broken: { fault: 'harness', message: 'nothing was prepared' } } as const;
