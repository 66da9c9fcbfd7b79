import fc from 'fast-check';
import { z } from 'zod';
import type { ConcreteCase } from '../case/concrete-case.ts';
import type { CaseResult } from '../schedule/case-result.ts';
import { withoutRun } from '../schedule/execute-case.ts';
import type { Instance } from '../sut/instance.ts';
import { FAMILIES } from './families.ts';
import { maxOf, propertySchema, type Property } from './property.ts';
import { openExamples, type ExampleRunner } from './run-examples.ts';
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

/**
 * Runs a case of layer `property`: draws examples, each a case like any other, and runs them. A counterexample is shrunk and written
 * down, under conformance/cases/regress/ in a run of the suite. Never rejects.
 */
export async function runProperty(
  one: ConcreteCase,
  instance: Instance,
  options: PropertyOptions,
): Promise<CaseResult> {
  const began = performance.now();
  const read = propertySchema.safeParse(one.property);
  if (!read.success) return withoutRun(one, { broken: { fault: 'case', message: z.prettifyError(read.error) } });
  const property = read.data;
  const { property: _, ...plain } = one;
  const base: ConcreteCase = { ...plain, layer: property.window, vantage: property.window };
  const family = FAMILIES[property.check[0].model];
  const runner = openExamples(base, instance);
  try {
    const found = await search(family.examples(base, maxOf(property)), runner, { ...options, ...property });
    const durationMs = Math.round((performance.now() - began) * 10) / 10;
    const what = whatOf(found, `${family.noun} through ${property.window}`, options.seed);
    if ('smallest' in found) {
      const { smallest, shrinks } = found;
      return { ...(await told(smallest, { what, shrinks, regressions: options.regressions })), case: one, durationMs };
    }
    const check = {
      at: [...one.at, 'property'],
      what,
      ok: found.judged > 0,
      expected: 'the model',
      actual: 'the model',
    };
    return { ...withoutRun(one, {}), verdict: 'pass', reason: '', durationMs, checks: [check] };
  } finally {
    await runner.close();
  }
}

interface Searched {
  /** Examples and, where each makes several, the checks of them. */
  readonly judged: number;
  readonly checks: number;
  /** Examples that were red among others and green alone. */
  readonly unsteady: number;
}

type Found = Searched | (Searched & { readonly smallest: Smallest; readonly shrinks: number });

/** The smallest counterexample and what came of it. */
interface Smallest {
  readonly example: ConcreteCase;
  readonly result: CaseResult;
}

// Examples between two looks at the clock. None is cut off: its peers would stay, and what it would have shown were lost.
const ROUND: Readonly<Record<Property['window'], number>> = { op: 320, trace: 16, wire: 16 };
const SHRINK_LIMIT_MS = 20_000;

/** Rounds of examples, each from the next seed, until the time is over or one fails; without a time as many as `runs` says. */
async function search(
  examples: fc.Arbitrary<ConcreteCase | undefined>,
  runner: ExampleRunner,
  { seed, signal, forMs, runs, window }: PropertyOptions & Property,
): Promise<Found> {
  const ends = performance.now() + (forMs ?? 0);
  const size = ROUND[window];
  let searched: Searched = { judged: 0, checks: 0, unsteady: 0 };
  for (let round = 0, left = runs; ; round += 1, left -= size) {
    const draw = { seed: seed + round, numRuns: forMs === undefined ? Math.min(size, left) : size };
    const drawn = fc
      .sample(examples, draw)
      .flatMap((example, at) => (example !== undefined && runner.offered(example) ? [{ example, at }] : []));
    const passing = await runner.passing(drawn.map(({ example }) => example));
    searched = {
      ...searched,
      judged: searched.judged + drawn.length,
      checks: searched.checks + drawn.reduce((sum, { example }) => sum + example.steps.length, 0),
    };
    for (const { at } of drawn.filter((_, index) => passing[index] === false)) {
      if (signal.aborted) return searched;
      const smallest = await shrink(examples, runner, { seed: draw.seed, at });
      if (smallest !== undefined) return { ...searched, ...smallest };
      searched = { ...searched, unsteady: searched.unsteady + 1 };
    }
    if (signal.aborted || (forMs === undefined ? left <= size : performance.now() >= ends)) return searched;
  }
}

/** Runs one example again, alone, and makes it as small as it stays red; undefined when it is green now. */
async function shrink(
  examples: fc.Arbitrary<ConcreteCase | undefined>,
  runner: ExampleRunner,
  { seed, at }: { readonly seed: number; readonly at: number },
): Promise<{ readonly smallest: Smallest; readonly shrinks: number } | undefined> {
  let smallest: Smallest | undefined;
  const property = fc.asyncProperty(examples, async (example) => {
    if (example === undefined) return true;
    const result = await runner.run(example);
    if (result.verdict === 'pass') return true;
    // What is red later is smaller: shrinking goes on from what was red.
    smallest = { example, result };
    return false;
  });
  const path = String(at);
  const { numShrinks } = await fc.check(property, { seed, path, numRuns: 1, interruptAfterTimeLimit: SHRINK_LIMIT_MS });
  return smallest && { smallest, shrinks: numShrinks };
}

function whatOf({ judged, checks, unsteady }: Searched, noun: string, seed: number): string {
  const again = unsteady === 0 ? '' : `, ${unsteady} of them red once and green alone`;
  return `${judged} ${noun}, ${checks} checks, seed ${seed}${again}`;
}

/** The result of the smallest counterexample, with where it was written to. */
async function told(
  { example, result }: Smallest,
  { what, shrinks, regressions }: { what: string; shrinks: number; regressions: string | undefined },
): Promise<CaseResult> {
  const file = regressions === undefined ? undefined : await writeRegression(example, regressions);
  const written = file === undefined ? '' : `, written to ${file}`;
  return { ...result, reason: `${what}: a counterexample after ${shrinks} shrinks${written}: ${result.reason}` };
}
