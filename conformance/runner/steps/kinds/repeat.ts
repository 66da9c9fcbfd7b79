import { z } from 'zod';
import { orPlaceholder } from '../authoring.ts';
import type { Observation, StepContext, StepDefinition } from '../step.ts';

type NestedStep = Readonly<Record<string, unknown>>;
interface RepeatInput {
  readonly times: number | string;
  readonly parallel?: number | string | undefined;
  readonly step: NestedStep;
}

/** One step n times, one after another or a few at a time. The observation counts the statuses and bodies. */
export function repeatKind(step: () => z.ZodType<NestedStep>): StepDefinition<RepeatInput> {
  return {
    name: 'repeat',
    text: 'Runs one step several times and counts statuses and bodies.',
    schema: z.strictObject({
      times: orPlaceholder(z.int().min(1).max(10_000)),
      parallel: orPlaceholder(z.int().min(1).max(64)).optional(),
      step: z.lazy(step),
    }),
    expectKeys: ['statuses', 'bodies', 'failures', 'seen', 'elapsedMs'],
    run,
    describe: (input) => `repeat ${input.times}`,
  };
}

async function run(input: RepeatInput, context: StepContext): Promise<Observation> {
  const started = performance.now();
  const times = Number(input.times);
  const seen: Observation[] = [];
  let next = 0;
  const lane = async (): Promise<void> => {
    while (next < times && !context.signal.aborted) {
      const index = next++;
      seen[index] = await context.nested(input.step, ['step'], index);
    }
  };
  await Promise.all(Array.from({ length: Math.min(times, Number(input.parallel ?? 1)) }, lane));
  const done = seen.filter((one) => one !== undefined);
  return {
    statuses: tally(done.map((one) => one['status'])),
    bodies: tally(done.map((one) => one['body'])),
    failures: tally(done.map((one) => one['failure'])),
    seen: done,
    elapsedMs: Math.round(performance.now() - started),
  };
}

function tally(values: readonly unknown[]): Readonly<Record<string, number>> {
  const counts: Record<string, number> = {};
  for (const value of values) {
    if (value === undefined) continue;
    const key = typeof value === 'string' ? value : JSON.stringify(value);
    counts[key] = (counts[key] ?? 0) + 1;
  }
  return counts;
}
