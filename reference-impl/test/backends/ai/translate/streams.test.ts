import Anthropic from '@anthropic-ai/sdk';
import fc from 'fast-check';
import OpenAI from 'openai';
import { describe, expect, test } from 'vitest';
import { isJson } from '../../../../backends/json.ts';
import type { Json } from '../../../../backends/json.ts';
import { textEvent, type StreamEvent } from '../../../../backends/ai/streams/stream-event.ts';
import { completionsToMessages } from '../../../../backends/ai/translate/completions-to-messages.ts';
import { messagesToCompletions } from '../../../../backends/ai/translate/messages-to-completions.ts';
import { messagesToResponses } from '../../../../backends/ai/translate/messages-to-responses.ts';
import { responsesToCompletions } from '../../../../backends/ai/translate/responses-to-completions.ts';
import type { Translation } from '../../../../backends/ai/translate/translation.ts';
import {
  asChunks,
  asCompletion,
  asMessage,
  asMessageEvents,
  asResponse,
  asResponseEvents,
  modelReply,
} from './model-replies.ts';

const stamp = { created: 5, id: () => '0123456789abcdef' };

function translated(translation: Translation, events: readonly StreamEvent[]): readonly StreamEvent[] {
  const stream = translation.stream(stamp);
  return [...events.flatMap((event) => stream.event(event)), ...stream.end()];
}

function dataOf(events: readonly StreamEvent[]): readonly string[] {
  return events.map(({ data = '' }) => data);
}

/** The vendors' own clients read the stream: no network, only their `fetch` is replaced. */
function answering(events: readonly StreamEvent[]): () => Promise<Response> {
  const body = Buffer.concat(events.map(({ bytes }) => bytes));
  return async () => new Response(body, { headers: { 'content-type': 'text/event-stream' } });
}

async function readMessage(events: readonly StreamEvent[]): Promise<Json> {
  const client = new Anthropic({ apiKey: 'k', maxRetries: 0, fetch: answering(events) });
  const stream = client.messages.stream({ model: 'm', max_tokens: 1, messages: [{ role: 'user', content: 'x' }] });
  return plain(await stream.finalMessage());
}

async function readCompletion(events: readonly StreamEvent[]): Promise<Json> {
  const client = new OpenAI({ apiKey: 'k', maxRetries: 0, fetch: answering(events) });
  const stream = client.chat.completions.stream({ model: 'm', messages: [{ role: 'user', content: 'x' }] });
  return plain(await stream.finalChatCompletion());
}

/** The last event has the whole response; the pieces before it must say the same. */
async function readResponse(
  events: readonly StreamEvent[],
): Promise<{ response: Json; text: string; written: string }> {
  const client = new OpenAI({ apiKey: 'k', maxRetries: 0, fetch: answering(events) });
  const stream = await client.responses.create({ model: 'm', input: 'x', stream: true });
  let response: Json = {};
  let text = '';
  let next = 1;
  const written: string[] = [];
  for await (const event of stream) {
    expect(event).toMatchObject({ sequence_number: next });
    next += 1;
    if (event.type === 'response.output_text.delta') text += event.delta;
    if (event.type === 'response.function_call_arguments.delta') {
      written[event.output_index] = `${written[event.output_index] ?? ''}${event.delta}`;
    }
    if ('response' in event) response = plain(event.response);
  }
  return { response, text, written: written.join('') };
}

function plain(value: object): Json {
  const copy: unknown = JSON.parse(JSON.stringify(value));
  return isJson(copy) ? copy : {};
}

describe('a stream and a whole reply say the same', () => {
  test('messages from completions', async () => {
    await fc.assert(
      fc.asyncProperty(modelReply, async (reply) => {
        const whole = messagesToCompletions.reply(asCompletion(reply), stamp);
        expect(await readMessage(translated(messagesToCompletions, asChunks(reply)))).toMatchObject(whole);
      }),
    );
  });

  test('messages from responses', async () => {
    await fc.assert(
      fc.asyncProperty(modelReply, async (reply) => {
        const whole = messagesToResponses.reply(asResponse(reply), stamp);
        expect(await readMessage(translated(messagesToResponses, asResponseEvents(reply)))).toMatchObject(whole);
      }),
    );
  });

  test('completions from messages', async () => {
    await fc.assert(
      fc.asyncProperty(modelReply, async (reply) => {
        const whole = completionsToMessages.reply(asMessage(reply), stamp);
        const read = await readCompletion(translated(completionsToMessages, asMessageEvents(reply)));
        // The client starts from an empty string where a whole reply has no text.
        expect(textless(read)).toMatchObject(textless(whole));
      }),
    );
  });

  test('responses from completions', async () => {
    await fc.assert(
      fc.asyncProperty(modelReply, async (reply) => {
        const whole = responsesToCompletions.reply(asCompletion(reply), stamp);
        const read = await readResponse(translated(responsesToCompletions, asChunks(reply)));
        expect(read.text).toBe(reply.text.join(''));
        expect(read.written).toBe(reply.calls.map(({ pieces }) => pieces.join('')).join(''));
        expect(read.response).toEqual(whole);
      }),
    );
  });
});

function textless(completion: Json): Json {
  const copy: unknown = JSON.parse(JSON.stringify(completion), (key, value: unknown) => {
    if (key === 'content' && value === '') return null;
    return key === 'refusal' ? undefined : value;
  });
  return isJson(copy) ? copy : {};
}

const TRANSLATIONS = [
  ['messages from completions', messagesToCompletions, asChunks],
  ['messages from responses', messagesToResponses, asResponseEvents],
  ['completions from messages', completionsToMessages, asMessageEvents],
  ['responses from completions', responsesToCompletions, asChunks],
] as const;

const REPLY = {
  text: ['a', 'b'],
  calls: [{ name: 'f', pieces: ['{"a"', ':1}'] }],
  finish: 'done',
  input: 10,
  output: 2,
  cached: 0,
  order: [0],
} as const;

describe.each(TRANSLATIONS)('%s', (_, translation, written) => {
  test('text is passed on when it comes', () => {
    const stream = translation.stream(stamp);
    const events = written(REPLY);
    const first = events.findIndex(({ data = '' }) => data.includes('"a"'));
    const before = events.slice(0, first).flatMap((event) => stream.event(event));
    const then = stream.event(events[first] ?? textEvent(''));
    expect(dataOf(before).join('')).not.toContain('"a"');
    expect(dataOf(then).join('')).toContain('"a"');
  });

  test('a stream that breaks off ends with an error of the client format', () => {
    const events = written(REPLY);
    for (let length = 0; length < events.length; length += 1) {
      const sent = translated(translation, events.slice(0, length));
      const last = sent.at(-1)?.data ?? '';
      const complete = /"message_stop"|^\[DONE\]$|"response\.completed"/.test(last);
      expect(complete || last.includes('the stream of the provider broke off')).toBe(true);
      if (length < events.length - 2) expect(complete).toBe(false);
    }
  });

  test.each([
    ['an error', textEvent('{"error":{"message":"busy","type":"overloaded_error"}}'), 'busy'],
    [
      'a named error',
      textEvent('{"type":"error","error":{"message":"busy","type":"overloaded_error"}}', 'error'),
      'busy',
    ],
    ['what is no JSON', textEvent('{"choices'), 'not JSON'],
  ])('%s in the middle is the last event', (__, event, message) => {
    const [first = textEvent(''), second = textEvent(''), ...rest] = written(REPLY);
    const sent = translated(translation, [first, second, event, ...rest]);
    expect(sent.at(-1)?.data).toContain(message);
    expect(sent.filter(({ data = '' }) => data.includes(message))).toHaveLength(1);
  });

  test('nothing comes after the end', () => {
    const events = written(REPLY);
    expect(dataOf(translated(translation, [...events, ...events]))).toEqual(dataOf(translated(translation, events)));
  });

  test('the JSON of every event is what its data spells', () => {
    for (const { data = '', json } of translated(translation, written(REPLY))) {
      if (data !== '[DONE]') expect(JSON.parse(data)).toEqual(plain(json ?? {}));
    }
  });

  test('never throws, whatever comes', () => {
    const json = fc.oneof(
      fc.json(),
      fc.constantFrom(...written(REPLY).map(({ data = '' }) => data)),
      fc.constantFrom('constructor', 'toString', '__proto__').map(odd),
      fc.string(),
    );
    fc.assert(
      fc.property(fc.array(json.map((data) => textEvent(data))), (events) => {
        translated(translation, events);
      }),
    );
  });
});

/** An event of a word that every object has a member for. */
function odd(word: string): string {
  const choice = { index: 0, delta: { tool_calls: [{ function: {} }] }, finish_reason: word };
  return JSON.stringify({ type: word, choices: [choice], usage: {}, delta: { stop_reason: word } });
}

test('an error in a stream reaches the real clients as an error', async () => {
  const broken = asChunks(REPLY).slice(0, 3);
  await expect(readMessage(translated(messagesToCompletions, broken))).rejects.toThrow('broke off');
  await expect(readResponse(translated(responsesToCompletions, broken))).rejects.toThrow('broke off');
  const cut = asMessageEvents(REPLY).slice(0, 4);
  await expect(readCompletion(translated(completionsToMessages, cut))).rejects.toThrow('broke off');
});
