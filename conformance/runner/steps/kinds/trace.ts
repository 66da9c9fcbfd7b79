import { z } from 'zod';
import { orPlaceholder } from '../authoring.ts';
import { armTrace, peekTrace } from '../trace-client.ts';
import type { Observation, StepContext, StepDefinition } from '../step.ts';

const name = z.string().regex(/^[A-Za-z0-9-]+$/, 'a trace name is letters, digits and dashes');
const schema = z
  .strictObject({
    /** Name under which `expect.trace` finds the events. */
    watch: name.optional(),
    /** Looks at a trace that was armed before, without waiting. */
    peek: name.optional(),
    /** Condition on the request, where the implementation offers one. */
    expression: z.string().optional(),
    /** Method of the request to the trace endpoint; the manifest's U-001 when absent. */
    method: z.string().optional(),
    /** Further query parameters of the trace endpoint. */
    query: z.record(z.string(), orPlaceholder(z.string())).optional(),
  })
  .refine((input) => (input.watch === undefined) !== (input.peek === undefined), 'write either watch or peek');

type TraceInput = z.infer<typeof schema>;

/** Opens the trace stream and is done when the tap is armed; the events are collected in the background. */
export const trace: StepDefinition<TraceInput> = {
  name: 'trace',
  text: 'Arms the trace stream, or looks at one that is armed; expect.trace.NAME judges the events at the end.',
  schema,
  expectKeys: ['status', 'headers', 'body', 'armed', 'open', 'events', 'failure', 'elapsedMs'],
  run,
  describe: (input) => (input.watch === undefined ? `peek ${input.peek ?? ''}` : `watch ${input.watch}`),
};

async function run(input: TraceInput, context: StepContext): Promise<Observation> {
  const { watch, peek, ...how } = input;
  return watch === undefined ? peekTrace(peek ?? '', context) : armTrace({ watch, ...how }, context);
}
