import { z } from 'zod';
import type { Key } from '../background.ts';
import type { Observation, StepContext, StepDefinition } from '../step.ts';
import { runOnTerminal } from '../terminal-session.ts';

const NAMES = [
  'tab',
  'backtab',
  'up',
  'down',
  'left',
  'right',
  'pageup',
  'pagedown',
  'home',
  'end',
  'enter',
  'escape',
] as const;
const key = z.union([z.enum(NAMES), z.string().regex(/^[\x21-\x7e]$/, 'a key is one character or a name such as tab')]);
const name = z.string().regex(/^[A-Za-z0-9-]+$/, 'the name of a terminal is letters, digits and dashes');

const schema = z
  .strictObject({
    args: z
      .array(z.union([z.string(), z.number()]))
      .optional()
      .describe("opens a terminal: arguments after the manifest's cli.trace command"),
    as: name.optional().describe('the name under which later steps find the terminal that args opens'),
    rows: z
      .int()
      .min(5)
      .max(200)
      .optional()
      .describe('height of the terminal in lines; 60 when absent. It is always 120 columns wide'),
    on: name.optional().describe('the terminal that was opened under this name'),
    keys: z
      .array(z.union([key, z.partialRecord(z.enum(NAMES), z.int().min(1).max(1000))]))
      .optional()
      .describe('keys to type, such as tab, q or { down: 60 } for sixty times down'),
  })
  .refine((input) => (input.args === undefined) === (input.as === undefined), 'args and as belong together')
  .refine((input) => (input.args === undefined) !== (input.on === undefined), 'write either args or on');

export type TerminalInput = z.infer<typeof schema>;

/** Runs the trace client on a terminal, types keys, and looks at the screen until it shows what is expected. */
export const terminal: StepDefinition<TerminalInput> = {
  name: 'terminal',
  text: "Runs the implementation's trace client on a terminal; types keys and awaits the expected screen.",
  schema,
  expectKeys: ['screen', 'lines', 'changed', 'running', 'exit', 'elapsedMs'],
  run,
  describe: (input) =>
    input.on === undefined
      ? `terminal ${input.args?.join(' ') ?? ''}`
      : `terminal ${input.on} ${bytesOfKeys(input.keys ?? [])}`,
};

async function run(input: TerminalInput, context: StepContext): Promise<Observation> {
  return runOnTerminal(input, context);
}

function bytesOfKeys(keys: readonly Key[]): string {
  return keys.map((one) => (typeof one === 'string' ? one : JSON.stringify(one))).join(' ');
}
