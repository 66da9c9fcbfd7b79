import { z } from 'zod';
import { runClient } from '../client-process.ts';
import type { Observation, StepContext, StepDefinition } from '../step.ts';

const schema = z
  .strictObject({
    /** Arguments after the manifest's cli.trace command. */
    args: z.array(z.union([z.string(), z.number()])).optional(),
    stdin: z.string().optional(),
    /** Leaves the client running under this name; the step is done when the client's tap is armed or the client has ended. */
    as: z.string().optional(),
    /** Waits for the end of a client that runs in the background. */
    wait: z.string().optional(),
    /** Sends a signal to a client in the background first. */
    signal: z.enum(['INT', 'TERM', 'HUP']).optional(),
    /** `unreachable`: the admin port given to the client has nobody listening. */
    admin: z.enum(['unreachable']).optional(),
  })
  .refine((input) => (input.args === undefined) !== (input.wait === undefined), 'write either args or wait');

export type CliInput = z.infer<typeof schema>;

/** Runs the trace client of the implementation. */
export const cli: StepDefinition<CliInput> = {
  name: 'cli',
  text: "Runs the implementation's trace client; its exit code and lines are the observation.",
  schema,
  expectKeys: ['exit', 'signal', 'stdout', 'stderr', 'lines', 'json', 'admin', 'running', 'elapsedMs', 'failure'],
  run,
  describe: (input) => `cli ${input.args?.join(' ') ?? `wait ${input.wait ?? ''}`}`,
};

async function run(input: CliInput, context: StepContext): Promise<Observation> {
  return runClient(input, context);
}
