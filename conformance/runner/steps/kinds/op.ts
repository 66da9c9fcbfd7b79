import { z } from 'zod';
import { runOperation } from '../operation.ts';
import type { Observation, StepContext, StepDefinition } from '../step.ts';

/** The target of an effective-policy question. Names left out are taken when there is only one candidate. */
export const effectivePolicySchema = z.strictObject({
  phase: z.string(),
  gateway: z.string().optional(),
  listener: z.string().optional(),
  route: z.string().optional(),
  rule: z.string().optional(),
  backend: z.string().optional(),
  namespace: z.string().optional(),
  /** The request that shows the policy when the case runs through the trace stream; GET / of the case's host when absent. */
  request: z
    .strictObject({
      path: z.string().optional(),
      host: z.string().optional(),
      headers: z.record(z.string(), z.string()).optional(),
    })
    .optional(),
});

/** The workload of a Gateway, the only one when `gateway` is left out. */
export const renderSchema = z.strictObject({
  gateway: z.string().optional(),
  /** The parameters were submitted by server-side apply. */
  serverSide: z.boolean().optional(),
  /** Take the place of resources of the case, or join them, for this question alone; may use what was captured. */
  with: z.array(z.looseObject({ kind: z.string(), metadata: z.looseObject({ name: z.string() }) })).optional(),
});

const schema = z
  .strictObject({
    'effective-policy': effectivePolicySchema.optional(),
    validate: z
      .strictObject({
        resource: z.record(z.string(), z.unknown()),
        /** Nothing is filled in: no apiVersion, no namespace, no shorthand. */
        asWritten: z.literal(true).optional(),
      })
      .optional(),
    render: renderSchema.optional(),
  })
  .refine((input) => Object.keys(input).length === 1, 'write one operation: effective-policy, validate or render');

export type OpInput = z.infer<typeof schema>;

/** Asks the adapter for one operation, or, in the trace vantage, reads the answer from a trace. */
export const op: StepDefinition<OpInput> = {
  name: 'op',
  text: 'Asks the implementation for an operation: the effective policy of a request target, whether a resource is accepted, or the manifests of a Gateway.',
  schema,
  expectKeys: ['result', 'error'],
  run,
  describe: (input) => `op ${Object.keys(input).join(' ')}`,
};

async function run(input: OpInput, context: StepContext): Promise<Observation> {
  return runOperation(input, context);
}
