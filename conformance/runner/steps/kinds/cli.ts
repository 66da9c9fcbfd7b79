import { z } from 'zod';
import { runClient } from '../client-process.ts';
import type { Observation, StepContext, StepDefinition } from '../step.ts';

const schema = z
  .strictObject({
    args: z
      .array(z.union([z.string(), z.number()]))
      .optional()
      .describe("arguments after the manifest's cli.trace command"),
    stdin: z.string().optional().describe('what the client reads on its standard input; nothing when absent'),
    as: z
      .string()
      .optional()
      .describe('leaves the client running under this name; the step is done when it is armed, or has ended'),
    hold: z
      .string()
      .optional()
      .describe('with as: the client gets the trace, which may wait for its request already, when this gate opens'),
    wait: z.string().optional().describe('waits for the end of the client that was left running under this name'),
    signal: z
      .enum(['INT', 'TERM', 'HUP'])
      .optional()
      .describe('with wait: the client gets this signal first; INT is Ctrl-C'),
    admin: z
      .enum(['unreachable'])
      .optional()
      .describe('unreachable: nobody listens on the admin port that the client is given'),
  })
  .refine((input) => (input.args === undefined) !== (input.wait === undefined), 'write either args or wait')
  .refine((input) => input.hold === undefined || input.as !== undefined, 'hold belongs to as');

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
