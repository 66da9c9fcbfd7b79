import { outsideCommand } from '../curl.ts';
import { exchange } from '../http-client.ts';
import type { LlmAnswer } from '../llm/llm-answer.ts';
import { documentLacks, eventLacks } from '../llm/form/lacks.ts';
import type { LlmFormat } from '../../values/llm-format.ts';
import { formatOf, llmCall, llmInputSchema, type LlmInput } from '../llm/llm-request.ts';
import { answerOf, streamedAnswerOf } from '../llm/read-answer.ts';
import { eventsOf, type SeenEvent } from '../llm/sse-events.ts';
import { targetOf } from '../target.ts';
import type { Observation, StepContext, StepDefinition } from '../step.ts';

/** Sends one request as a client of language models and reads the answer, streamed or not, as that client would. */
export const llm: StepDefinition<LlmInput> = {
  name: 'llm',
  text: 'Sends one request in a format of language models and gathers the answer, from events too.',
  schema: llmInputSchema,
  expectKeys: [
    'status',
    'headers',
    'body',
    'json',
    'text',
    'reasoning',
    'toolCalls',
    /** Why the model stopped, in the word of the client's format. */
    'finish',
    /** `{input, output, total, cached, cacheWrite, reasoning}`, whatever the format calls them. */
    'usage',
    'model',
    /** Of Embeddings: `[[0.1, …]]`, from base64 too. */
    'vectors',
    /** The error object of the format, from a document or from a stream. */
    'error',
    /** `[{event, data}]` of a stream. */
    'events',
    /** Whether a stream reached the end its format has. */
    'terminated',
    /** Whether it did so and told of no error before. */
    'endedWell',
    /** What a good answer lacks to be whole in the client's format, as `choices[0].index: expected number`. */
    'lacks',
    'complete',
    'closed',
    'gates',
    'elapsedMs',
    'failure',
  ],
  run,
  describe: (input) => `${formatOf(input)} ${llmCall(input).path}`,
  curl: (input, context) => outsideCommand(llmCall(input), input, context),
};

async function run(input: LlmInput, context: StepContext): Promise<Observation> {
  const { connection, httpVersion: version } = input;
  const target = { ...targetOf(input, context), hostHeader: input.host ?? context.host, connection, version };
  const seen = await exchange(llmCall(input), target, context);
  const answer = readAnswer(formatOf(input), seen);
  // Why a provider refused a request stands nowhere else.
  if (answer.error !== undefined) context.timeline.add('client', `error ${JSON.stringify(answer.error).slice(0, 300)}`);
  return { ...seen, ...answer, ...lacks(input, seen, answer.events) };
}

/** Only the cases about whole answers judge it: one member that a proxy leaves out is one mistake, not one in every case. */
function lacks(input: LlmInput, seen: Observation, events: readonly SeenEvent[] | undefined): Observation {
  const { status, json } = seen;
  if (typeof status !== 'number' || status < 200 || status > 299) return {};
  const format = formatOf(input);
  return { lacks: events === undefined ? documentLacks(format, json) : eventLacks(format, events) };
}

function readAnswer(format: LlmFormat, seen: Observation): LlmAnswer & { readonly events?: readonly SeenEvent[] } {
  if (!isStream(seen)) return answerOf(format, seen['json']);
  const events = eventsOf(typeof seen['body'] === 'string' ? seen['body'] : '');
  return { events, ...streamedAnswerOf(format, events) };
}

function isStream({ headers }: Observation): boolean {
  const type =
    typeof headers === 'object' && headers !== null && 'content-type' in headers ? headers['content-type'] : '';
  return /^text\/event-stream\b/i.test(String(type));
}
