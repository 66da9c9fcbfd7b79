import { z } from 'zod';
import { StuckFault } from '../../sut/session.ts';
import { StepUnsupported, type Observation, type StepContext, type StepDefinition } from '../step.ts';

const schema = z.strictObject({
  kind: z.string().describe('kind of the resource, such as ProxyPolicy'),
  name: z.string().describe('name of the resource'),
  namespace: z.string().optional().describe('the namespace of the case when absent'),
});

type StatusInput = z.infer<typeof schema>;

/** Reads what the implementation has written into the status of a resource; null when it has none. */
export const status: StepDefinition<StatusInput> = {
  name: 'status',
  text: 'Reads the status of a resource, from the API server or through the adapter.',
  schema,
  expectKeys: ['status', 'error'],
  run,
  describe: ({ kind, name }) => `status ${kind} ${name}`,
};

async function run({ kind, name, namespace }: StatusInput, context: StepContext): Promise<Observation> {
  const { session, timeline } = context;
  const question = { resources: context.resources(), kind, name, namespace: namespace ?? context.namespace };
  timeline.add('client', `> status ${kind} ${name}`);
  const answer = await session.op('status', question, context.caseId);
  timeline.add('client', `< status ${answer.kind}`);
  if (answer.kind === 'unsupported') throw new StepUnsupported(`status: ${answer.message}`);
  if (answer.kind === 'error' && answer.stuck) throw new StuckFault(answer.message);
  if (answer.kind === 'error') return { error: answer.message };
  return { status: statusIn(answer.result) };
}

function statusIn(result: unknown): unknown {
  return typeof result === 'object' && result !== null && 'status' in result ? result.status : null;
}
