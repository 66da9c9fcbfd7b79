import { z } from 'zod';
import { runOperation } from '../operation.ts';
import type { Observation, StepContext, StepDefinition } from '../step.ts';

/** The target of an effective-policy question. Names left out are taken when there is only one candidate. */
export const effectivePolicySchema = z.strictObject({
  phase: z.string().describe('which merge: frontend, gateway, route or backend'),
  gateway: z.string().optional().describe('name of the Gateway the request comes to'),
  listener: z.string().optional().describe('name of the listener it comes through'),
  route: z.string().optional().describe('name of the HTTPRoute that takes it'),
  rule: z.string().optional().describe('name of the rule that takes it'),
  backend: z.string().optional().describe('name of the backend it goes to'),
  namespace: z.string().optional().describe('where these names are looked for; the namespace of the case when absent'),
  request: z
    .strictObject({
      path: z.string().optional().describe('target of the request; / when absent'),
      host: z.string().optional().describe('Host header; the host of the case when absent'),
      headers: z.record(z.string(), z.string()).optional().describe('headers of the request, name to value'),
    })
    .optional()
    .describe('the request that shows the policy where the case looks through the trace; GET / when absent'),
});

/** The workload of a Gateway, the only one when `gateway` is left out. */
export const renderSchema = z.strictObject({
  gateway: z.string().optional().describe('name of the Gateway whose workload is rendered; the only one when absent'),
  serverSide: z
    .boolean()
    .optional()
    .describe('the parameters came by server-side apply, where null in an overlay removes a field'),
  with: z
    .array(
      z.looseObject({
        kind: z.string().describe('kind of the resource'),
        metadata: z
          .looseObject({ name: z.string().describe('name of the resource') })
          .describe('name, labels and the like'),
      }),
    )
    .optional()
    .describe('resources for this question alone, beside those of the case or in their place; may use captures'),
});

const schema = z
  .strictObject({
    'effective-policy': effectivePolicySchema
      .optional()
      .describe('the merged policy for the way a request takes; names left out are taken when there is only one'),
    validate: z
      .strictObject({
        resource: z.record(z.string(), z.unknown()).describe('the resource, in the shorthand of config'),
        asWritten: z
          .literal(true)
          .optional()
          .describe('nothing is filled in: no apiVersion, no namespace, no shorthand'),
      })
      .optional()
      .describe('whether admission accepts a resource, and if not, every reason'),
    render: renderSchema.optional().describe('the manifests of the workload of a Gateway'),
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
