import { z } from 'zod';
import { orPlaceholder } from '../authoring.ts';
import { armTrace, peekTrace } from '../trace-client.ts';
import type { Observation, StepContext, StepDefinition } from '../step.ts';

const name = z.string().regex(/^[A-Za-z0-9-]+$/, 'a trace name is letters, digits and dashes');
const schema = z
  .strictObject({
    watch: name.optional().describe('arms the trace; expect.trace finds its events under this name'),
    peek: name.optional().describe('looks at the trace that was armed under this name, without waiting'),
    expression: z.string().optional().describe('condition on the request, in CEL, where the implementation offers one'),
    method: z
      .string()
      .optional()
      .describe("method of the request to the trace endpoint; the manifest's U-001 when absent"),
    query: z
      .record(z.string(), orPlaceholder(z.string()))
      .optional()
      .describe('further query parameters of the trace endpoint'),
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
