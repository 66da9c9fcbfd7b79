import { a2aCall, a2aInputSchema, type A2aInput } from '../a2a/a2a-request.ts';
import { documentsOf, readA2aAnswer } from '../a2a/read-answer.ts';
import { outsideCommand } from '../curl.ts';
import { exchange } from '../http-client.ts';
import { eventsOf } from '../llm/sse-events.ts';
import { targetOf } from '../target.ts';
import type { Observation, StepContext, StepDefinition } from '../step.ts';

/** Sends one request as a client of A2A and reads the answer, streamed or not, as that client would. */
export const a2a: StepDefinition<A2aInput> = {
  name: 'a2a',
  text: 'Sends one request to an agent and reads the answer, from events too.',
  schema: a2aInputSchema,
  expectKeys: [
    'status',
    'headers',
    'body',
    'json',
    /** The error object of JSON-RPC, from a document or from a stream. */
    'error',
    /** Of messages and artifacts, one after another. */
    'text',
    'taskId',
    /** The last state of the task, in words such as input-required, whatever the version calls it. */
    'state',
    /** What came in order: task, message, status, artifact, error. */
    'said',
    /** The ids of JSON-RPC that the answers bear. */
    'ids',
    'complete',
    'closed',
    'gates',
    'elapsedMs',
    'failure',
  ],
  run,
  describe: (input) => {
    const { method, path } = a2aCall(input);
    return `${method} ${path}`;
  },
  curl: (input, context) => outsideCommand(a2aCall(input), input, context),
};

async function run(input: A2aInput, context: StepContext): Promise<Observation> {
  const { connection, httpVersion: version } = input;
  const target = { ...targetOf(input, context), hostHeader: input.host ?? context.host, connection, version };
  const seen = await exchange(a2aCall(input), target, context);
  if (input.card === true) return seen;
  return { ...seen, ...readA2aAnswer(documents(seen)) };
}

function documents({ headers, body, json }: Observation): readonly unknown[] {
  const type =
    typeof headers === 'object' && headers !== null && 'content-type' in headers ? String(headers['content-type']) : '';
  if (!/^text\/event-stream\b/i.test(type)) return json === undefined ? [] : [json];
  return documentsOf(eventsOf(typeof body === 'string' ? body : ''));
}
