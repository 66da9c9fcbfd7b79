import { z } from 'zod';
import { MATCHERS_MARK, orPlaceholder } from '../authoring.ts';
import { awaitCondition } from '../conditions.ts';
import type { Observation, StepContext, StepDefinition } from '../step.ts';

const count = orPlaceholder(z.int().min(0));
const schema = z
  .strictObject({
    peer: z.string().optional().describe('the peer that idle, received or attempted is about'),
    idle: z.literal(true).optional().describe('until no request of the peer is open'),
    received: count.optional().describe('until at least so many requests have come to the peer and are over'),
    like: z
      .unknown()
      .meta(MATCHERS_MARK)
      .optional()
      .describe(
        'with received: counts only what is like this, such as { signal: logs }; alike says how many there are',
      ),
    attempted: count.optional().describe('until at least so many connections to the peer were attempted'),
    open: z.string().optional().describe('opens this gate of a peer, and does not wait'),
    trace: z.string().optional().describe('until the trace that was armed under this name has ended'),
  })
  .refine(
    (input) => conditionsOf(input).length === 1,
    'write one condition: idle, received or attempted of a peer, open, or trace',
  )
  .refine(
    (input) => (input.peer === undefined) === (input.open !== undefined || input.trace !== undefined),
    'name the peer',
  )
  .refine((input) => input.like === undefined || input.received !== undefined, 'like belongs to received');

export type AwaitInput = z.infer<typeof schema>;

/** Waits for a condition of a peer or a trace; the named limit passing is an observation, never a stuck run. */
export const awaitKind: StepDefinition<AwaitInput> = {
  name: 'await',
  text: 'Waits for a condition at a peer (idle, received, attempted) or for the end of a trace, or opens a gate.',
  schema,
  expectKeys: ['reached', 'received', 'attempted', 'alike', 'traces'],
  run,
  describe: (input) => `await ${conditionsOf(input).join()} ${input.peer ?? input.trace ?? input.open ?? ''}`,
};

async function run(input: AwaitInput, context: StepContext): Promise<Observation> {
  return awaitCondition(input, context);
}

function conditionsOf(input: Readonly<Record<string, unknown>>): readonly string[] {
  return ['idle', 'received', 'attempted', 'open', 'trace'].filter((key) => input[key] !== undefined);
}
