import { z } from 'zod';
import { httpFaultSchema } from '../../http-exchange.ts';
import { lanesShape } from '../../lanes.ts';
import { bytesSchema, gateShape, giveUpSchema } from '../../script.ts';
import { ACTIONS, STATES, VERSIONS } from './versions.ts';
import { servedShape } from '../served-shape.ts';

const version = z.enum(VERSIONS);

const state = z.enum(STATES);

const task = z.strictObject({
  id: z.string().min(1).optional().describe('task-1, task-2, … when absent'),
  state: state.optional().describe('completed when absent'),
  text: z.string().optional().describe('an artifact of the task with this text; none when absent'),
});
export type TaskScript = z.infer<typeof task>;

const error = z.strictObject({
  code: z.int().describe('code of the error, such as -32001'),
  message: z.string().optional().describe('text of the error; what the protocol calls that code when absent'),
  data: z.json().optional().describe('details of the error'),
});

const piece = z.union(
  [
    z.strictObject({ task: task.describe('the task the stream is about') }),
    z.strictObject({ status: state.describe('the new state of the task') }),
    z.strictObject({ artifact: z.string().describe('an artifact of the task with this text') }),
    z.strictObject({ message: z.string().describe('a message of the agent, instead of a task') }),
    z.strictObject({ error: error.describe('an error in the middle of the stream') }),
    z.strictObject({ raw: z.string().describe('characters as they are, events or not') }),
    z.strictObject({ disconnect: z.literal(true).describe('resets the connection') }),
    z.strictObject(gateShape),
  ],
  { error: '{task}, {status}, {artifact}, {message}, {error}, {raw}, {disconnect} or {gate, giveUp}' },
);
export type Piece = z.infer<typeof piece>;

/** One answer of an agent. Without anything it is a message with the name of the agent, in a stream where one is asked for. */
const reply = z
  .strictObject({
    message: z.string().optional().describe('answers with a message of this text'),
    task: task.optional().describe('answers with a task'),
    stream: z.array(piece).optional().describe('what a stream says, piece by piece'),
    error: error.optional().describe('answers with an error of JSON-RPC'),
    status: z.int().min(200).max(599).optional().describe('status of the answer; 200 when absent'),
    headers: z
      .record(z.string(), z.union([z.string(), z.number()]))
      .optional()
      .describe('further headers of the answer, name to value'),
    json: z.json().optional().describe('this document instead'),
    body: bytesSchema.optional().describe('these bytes instead'),
    with: z
      .record(z.string(), z.json())
      .optional()
      .describe('members of the card beside or instead of its own; of cards only'),
    without: z.array(z.string()).optional().describe('members that the card does not have; of cards only'),
    gate: z.string().min(1).optional().describe('a document follows its head when this gate opens'),
    giveUp: giveUpSchema,
    fault: httpFaultSchema
      .optional()
      .describe(
        'how the answer breaks: reset, hang (no answer), half-close, bad-chunk, garbage, or cut after so many bytes',
      ),
    fail: z.string().min(1).optional().describe('no such request may arrive; the reason is reported as a failed check'),
  })
  .refine(
    (said) =>
      [said.message, said.task, said.stream, said.error, said.json, said.body].filter((each) => each !== undefined)
        .length <= 1,
    { error: 'only one of message, task, stream, error, json and body' },
  );
export type A2aReply = z.infer<typeof reply>;

const match = z.strictObject({
  action: z.enum(ACTIONS).optional().describe('what the client wants, whatever its version calls it'),
  text: z.string().optional().describe('stands somewhere in the body'),
});
export type Match = z.infer<typeof match>;

/** The script of an `a2a` peer: an agent with its card, its calls, and the tasks it remembers. */
export const a2aScriptSchema = z.strictObject({
  kind: z.literal('a2a').describe('an agent that speaks A2A'),
  version: version.optional().describe('the only version it speaks; every one when absent'),
  path: z
    .string()
    .regex(/^(\/[^/?#]+)*$/, 'a path such as /agents/a, without a slash at its end')
    .optional()
    .describe('where the agent lives: it takes calls there and has its card below; the root when absent'),
  ...lanesShape(match, reply),
  ...servedShape,
});
export type A2aScript = z.infer<typeof a2aScriptSchema>;
