import fc from 'fast-check';
import { z } from 'zod';
import type { ConcreteCase } from '../case/concrete-case.ts';
import type { CaseResult } from '../schedule/case-result.ts';
import { executeCase, withoutRun } from '../schedule/execute-case.ts';
import { prepareCases, releaseCase } from '../schedule/prepare-case.ts';
import type { Step } from '../steps/step.ts';
import type { Instance } from '../sut/instance.ts';
import { mergePolicies } from './merge-model.ts';
import { arbitraryPolicies, asConfig, asExpectation, PHASES, type DrawnPolicy } from './merge-policies.ts';
import { writeRegression } from './to-case.ts';

/** What a property case runs with. */
export interface PropertyOptions {
  readonly seed: number;
  readonly signal: AbortSignal;
  /** Folder for a counterexample; absent: it is only reported. */
  readonly regressions?: string | undefined;
  /** Milliseconds to go on drawing, instead of the number of runs that the case asks for. */
  readonly forMs?: number;
}

/** `property:` of a case: how many policy sets, how large, seen through which window, held against which model. */
const propertySchema = z.strictObject({
  runs: z.int().min(1).max(10_000),
  arbitrary: z.strictObject({ policies: z.strictObject({ max: z.int().min(1).max(16) }) }),
  window: z.enum(['op', 'trace']),
  check: z.tuple([z.strictObject({ model: z.literal('merge') })]),
});

/**
 * Runs a case of layer `property`: draws policy sets, and holds what the implementation makes of each against the model.
 * Each draw is a case like any other, so a counterexample, shrunk, is written as one under conformance/cases/regress/.
 * Never rejects.
 */
export async function runProperty(
  one: ConcreteCase,
  instance: Instance,
  options: PropertyOptions,
): Promise<CaseResult> {
  const { seed, signal, regressions } = options;
  const began = performance.now();
  const read = propertySchema.safeParse(one.property);
  if (!read.success) return withoutRun(one, { broken: { fault: 'case', message: z.prettifyError(read.error) } });
  const { runs, arbitrary, window } = read.data;
  let last: CaseResult | undefined;
  let judged = 0;
  const property = fc.asyncProperty(arbitraryPolicies(arbitrary.policies.max), async (policies) => {
    if (signal.aborted) return true;
    const drawn = drawnCase(one, policies, window);
    // MERGE-016: two policies at one level that set one field have no stated winner.
    fc.pre(drawn !== undefined);
    if (drawn === undefined) return true;
    judged += 1;
    last = await runDrawn(drawn, instance);
    return last.verdict === 'pass';
  });
  const outcome = await drawInRounds(property, options, runs);
  const durationMs = Math.round((performance.now() - began) * 10) / 10;
  const at = [...one.at, 'property'];
  const what = `${judged} policy sets through ${window}, seed ${seed}`;
  if (!outcome.failed) {
    const check = { at, what, ok: judged > 0, expected: 'the merge of the model', actual: 'the merge of the model' };
    return { ...withoutRun(one, {}), verdict: 'pass', reason: '', durationMs, checks: [check] };
  }
  return counterexample(one, outcome, { window, durationMs, what, last, regressions }, instance);
}

// Draws between two looks at the clock. A draw is never cut off: its peers would stay, and what it would have shown were lost.
const ROUND = 50;

/** Rounds of draws, each from the next seed, until the time is over or one fails; without a time one round of `runs`. */
async function drawInRounds<Drawn>(
  property: fc.IAsyncProperty<Drawn>,
  { seed, signal, forMs }: PropertyOptions,
  runs: number,
): Promise<fc.RunDetails<Drawn>> {
  const ends = performance.now() + (forMs ?? 0);
  const numRuns = forMs === undefined ? runs : ROUND;
  for (let round = 0; ; round += 1) {
    const outcome = await fc.check(property, { numRuns, seed: seed + round, maxSkipsPerRun: 1000 });
    if (outcome.failed || signal.aborted || performance.now() >= ends) return outcome;
  }
}

interface Failed {
  readonly window: 'op' | 'trace';
  readonly durationMs: number;
  readonly what: string;
  readonly last: CaseResult | undefined;
  readonly regressions: string | undefined;
}

/** Runs the smallest counterexample once more, for its report, and writes it down as a case. */
async function counterexample(
  one: ConcreteCase,
  outcome: fc.RunDetails<[readonly DrawnPolicy[]]>,
  { window, durationMs, what, last, regressions }: Failed,
  instance: Instance,
): Promise<CaseResult> {
  const policies = outcome.counterexample?.[0] ?? [];
  const drawn = drawnCase(one, policies, window);
  if (drawn === undefined || last === undefined) {
    const message =
      outcome.errorInstance instanceof Error ? (outcome.errorInstance.stack ?? '') : 'no policy set could be drawn';
    return { ...withoutRun(one, { broken: { fault: 'harness', message } }), durationMs };
  }
  const result = await runDrawn(drawn, instance);
  const written =
    regressions === undefined
      ? ''
      : `, written to ${await writeRegression(one, drawn, { window, folder: regressions })}`;
  const reason = `${what}: a counterexample of ${policies.length} policies after ${outcome.numShrinks} shrinks${written}: ${result.reason}`;
  return { ...result, case: one, verdict: result.verdict === 'pass' ? 'fail' : result.verdict, reason, durationMs };
}

/** The case that a policy set makes; undefined where the documents name no winner. */
function drawnCase(
  one: ConcreteCase,
  policies: readonly DrawnPolicy[],
  window: 'op' | 'trace',
): ConcreteCase | undefined {
  const steps: Step[] = [];
  for (const phase of PHASES) {
    const merged = mergePolicies(policies, phase);
    if (merged === undefined) return undefined;
    steps.push({
      id: phase,
      kind: 'op',
      input: {
        'effective-policy': { phase, gateway: 'gw', listener: 'http', route: 'r', rule: 'rule', backend: 'up' },
      },
      expect: { result: asExpectation(phase, merged) },
      at: [...one.at, 'property', 'check', 0],
    });
  }
  const { property: _, ...rest } = one;
  return { ...rest, layer: window, vantage: window, config: asConfig(policies), steps };
}

async function runDrawn(drawn: ConcreteCase, instance: Instance): Promise<CaseResult> {
  const [prepared] = await prepareCases([drawn], instance);
  if (prepared === undefined)
    return withoutRun(drawn, { broken: { fault: 'harness', message: 'nothing was prepared' } });
  const result = await executeCase(prepared);
  await releaseCase(prepared);
  return result;
}
