import { z } from 'zod';
import type { Observation, StepContext, StepDefinition } from '../step.ts';

const resource = z.record(z.string(), z.unknown());
const schema = z
  .strictObject({
    add: z.array(resource).optional().describe('new resources, in the shorthand of config'),
    replace: z.array(resource).optional().describe('take the place of those with the same kind, namespace and name'),
    remove: z
      .array(
        z.strictObject({
          kind: z.string().describe('kind of the resource that goes'),
          name: z.string().describe('its name'),
          namespace: z.string().optional().describe('the namespace of the case when absent'),
        }),
      )
      .optional()
      .describe('resources that go, by kind and name'),
  })
  .refine((input) => Object.keys(input).length > 0, 'write at least one of add, replace and remove');

type ApplyInput = z.infer<typeof schema>;

/** Changes the configuration of the case and waits until the implementation shows the new revision. */
export const apply: StepDefinition<ApplyInput> = {
  name: 'apply',
  text: 'Adds, replaces or removes resources in the middle of a case and waits until the change is live.',
  schema,
  expectKeys: ['config', 'violations'],
  run,
  describe: (input) =>
    `apply ${Object.entries(input)
      .map(([verb, list]) => `${verb} ${list?.length ?? 0}`)
      .join(', ')}`,
};

async function run(input: ApplyInput, context: StepContext): Promise<Observation> {
  const outcome = await context.configure({
    put: context.render([...(input.add ?? []), ...(input.replace ?? [])]),
    remove: input.remove ?? [],
  });
  return { config: outcome.outcome, violations: outcome.violations };
}
