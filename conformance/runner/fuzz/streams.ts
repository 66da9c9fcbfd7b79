import fc from 'fast-check';
import type { ConcreteCase } from '../case/concrete-case.ts';
import type { Step } from '../steps/step.ts';
import type { JsonObject } from '../values/json.ts';
import type { Family } from './property.ts';

/**
 * Answers of a provider as server-sent events, cut anywhere, also inside a character or a line end: a client of the provider's format and
 * one of another are told the same text, the same end and the same tokens as if the answer had come in one piece.
 */
export const streams: Family = {
  noun: 'streams',
  examples: (one, max) =>
    fc.tuple(ANSWERS, fc.array(SHARE, { maxLength: max })).map(([answer, cuts]) => drawnCase(one, answer, cuts)),
};

interface Answer {
  readonly words: readonly string[];
  readonly input: number;
  readonly output: number;
  readonly lineEnd: string;
  /** Lines that no client is told of. */
  readonly comment: string;
}

const SHARE = fc.double({ min: 0, max: 1, noNaN: true });
const ANSWERS: fc.Arbitrary<Answer> = fc.record({
  words: fc.array(fc.constantFrom('Good', ' day', 'ü', '€', '😀', '\n\n', '"', '\\', 'data: ', 'é'), {
    minLength: 1,
    maxLength: 5,
  }),
  input: fc.integer({ min: 1, max: 5000 }),
  output: fc.integer({ min: 1, max: 5000 }),
  lineEnd: fc.constantFrom('\n', '\r\n'),
  comment: fc.constantFrom('', ': a comment'),
});

function drawnCase(one: ConcreteCase, answer: Answer, cuts: readonly number[]): ConcreteCase {
  const reply = {
    headers: { 'content-type': 'text/event-stream' },
    framing: 'chunked',
    chunks: piecesOf(answer, cuts),
  };
  const told = { status: 200, text: answer.words.join(''), terminated: true, complete: true };
  const ask = (client: string): Step => ({
    id: client.toLowerCase(),
    kind: 'llm',
    input: {
      format: client,
      POST: `/${client.toLowerCase()}`,
      ...QUESTION,
      ...(client === 'Completions' ? COUNTED : {}),
    },
    expect: { ...told, usage: usageTold(client, answer) },
    at: [...one.at, 'property', 'check', 0],
  });
  return { ...one, peers: { ...one.peers, up: { kind: 'http', reply } }, steps: CLIENTS.map(ask) };
}

/** A stream of messages tells the tokens of the input when it begins, before this provider has said them. */
function usageTold(client: string, { input, output }: Answer): JsonObject {
  return client === 'Messages' ? { output } : { input, output };
}

const CLIENTS = ['Completions', 'Messages'];
// A client of completions is told of tokens when it asks for them.
const COUNTED = { body: { stream_options: { include_usage: true } } };
const QUESTION = { model: 'm', user: 'say hello', stream: true };

/** The bytes of the answer between the cuts, each sent as a chunk of its own. */
function piecesOf(answer: Answer, cuts: readonly number[]): readonly JsonObject[] {
  const bytes = Buffer.from(textOf(answer), 'utf8');
  const ends = [...new Set(cuts.map((cut) => Math.round(cut * bytes.length)))].toSorted((a, b) => a - b);
  const pieces = [...ends, bytes.length].map((end, index) => bytes.subarray(ends[index - 1] ?? 0, end));
  return pieces.filter((piece) => piece.length > 0).map((piece) => ({ base64: piece.toString('base64') }));
}

/** A stream of chat completions: words, the reason of the end, the tokens, the end. */
function textOf({ words, input, output, lineEnd, comment }: Answer): string {
  const said = words.map((content, index) => choice({ ...(index === 0 ? { role: 'assistant' } : {}), content }, null));
  const usage = { prompt_tokens: input, completion_tokens: output, total_tokens: input + output };
  const events = [...said, choice({}, 'stop'), { ...CHUNK, choices: [], usage }].map((event) => JSON.stringify(event));
  const lines = [...events, '[DONE]'].map((event) => `data: ${event}${lineEnd}${lineEnd}`);
  return `${comment === '' ? '' : `${comment}${lineEnd}${lineEnd}`}${lines.join('')}`;
}

const CHUNK = { id: 'c', object: 'chat.completion.chunk', created: 1, model: 'm' };

function choice(delta: JsonObject, end: string | null): JsonObject {
  return { ...CHUNK, choices: [{ index: 0, delta, finish_reason: end }] };
}
