import { z } from 'zod';
import type { Observation, StepContext, StepDefinition } from '../step.ts';

type NestedStep = Readonly<Record<string, unknown>>;

/** Several steps at the same time; each has its own expectations. The observation maps step id to what the step saw. */
export function parallelKind(step: () => z.ZodType<NestedStep>): StepDefinition<readonly NestedStep[]> {
  return {
    name: 'parallel',
    text: 'Runs several steps at the same time.',
    schema: z.array(z.lazy(step)).min(1),
    expectKeys: ['steps', 'elapsedMs'],
    run,
    describe: (steps) => `parallel ${steps.length}`,
  };
}

async function run(steps: readonly NestedStep[], context: StepContext): Promise<Observation> {
  const started = performance.now();
  const seen = await Promise.all(
    steps.map(async (step, index) => [String(step['id']), await context.nested(step, [index])] as const),
  );
  return { steps: Object.fromEntries(seen), elapsedMs: Math.round(performance.now() - started) };
}
