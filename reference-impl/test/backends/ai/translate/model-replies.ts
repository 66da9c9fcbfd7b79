import fc from 'fast-check';
import type { Json } from '../../../../backends/json.ts';
import { textEvent, type StreamEvent } from '../../../../backends/ai/streams/stream-event.ts';

/** What a model said, without any format: the same reply can be written whole or as a stream, in every format. */
export interface ModelReply {
  readonly text: readonly string[];
  readonly calls: readonly ModelCall[];
  readonly finish: 'done' | 'length' | 'refused';
  readonly input: number;
  readonly output: number;
  readonly cached: number;
  /** How the pieces of different calls are mixed: numbers to choose with. */
  readonly order: readonly number[];
}

export interface ModelCall {
  readonly name: string;
  /** JSON text in pieces. */
  readonly pieces: readonly string[];
}

const word = fc.string({ minLength: 1, maxLength: 8, unit: 'grapheme' });

const call: fc.Arbitrary<ModelCall> = fc
  .tuple(
    fc.constantFrom('f', 'g'),
    fc.dictionary(fc.constantFrom('a', 'b'), fc.oneof(word, fc.integer())),
    fc.array(fc.nat(30)),
  )
  .map(([name, input, places]) => ({ name, pieces: cut(JSON.stringify(input), places) }));

export const modelReply: fc.Arbitrary<ModelReply> = fc
  .record({
    text: fc.array(word, { maxLength: 4 }),
    calls: fc.array(call, { maxLength: 3 }),
    finish: fc.constantFrom('done', 'length', 'refused'),
    input: fc.integer({ min: 10, max: 99 }),
    output: fc.integer({ min: 1, max: 99 }),
    cached: fc.integer({ min: 0, max: 9 }),
    order: fc.array(fc.nat(), { minLength: 20, maxLength: 20 }),
  })
  .filter(({ text, calls }) => text.length + calls.length > 0);

function cut(text: string, places: readonly number[]): readonly string[] {
  const ends = [...new Set(places.map((place) => place % text.length))].toSorted((a, b) => a - b);
  return [...ends, text.length]
    .map((end, index) => text.slice(ends[index - 1] ?? 0, end))
    .filter((piece) => piece !== '');
}

function endOf(
  { finish, calls }: ModelReply,
  words: readonly [done: string, length: string, refused: string, called: string],
): string {
  const [done, length, refused, called] = words;
  if (finish === 'length') return length;
  if (finish === 'refused') return refused;
  return calls.length > 0 ? called : done;
}

function completionsFinish(reply: ModelReply): string {
  return endOf(reply, ['stop', 'length', 'content_filter', 'tool_calls']);
}

function completionsUsage({ input, output, cached }: ModelReply): Json {
  const details = { cached_tokens: cached };
  return {
    prompt_tokens: input,
    completion_tokens: output,
    total_tokens: input + output,
    prompt_tokens_details: details,
  };
}

export function asCompletion(reply: ModelReply): Json {
  const calls = reply.calls.map(({ name, pieces }, index) => ({
    id: `call_${index}`,
    type: 'function',
    function: { name, arguments: pieces.join('') },
  }));
  const text = reply.text.join('');
  const message = {
    role: 'assistant',
    content: text === '' ? null : text,
    ...(calls.length === 0 ? {} : { tool_calls: calls }),
  };
  return {
    id: 'chatcmpl-1',
    object: 'chat.completion',
    created: 5,
    model: 'big',
    choices: [{ index: 0, message, finish_reason: completionsFinish(reply) }],
    usage: completionsUsage(reply),
  };
}

/** As a stream; the pieces of the calls come mixed. */
export function asChunks(reply: ModelReply): readonly StreamEvent[] {
  const head = { id: 'chatcmpl-1', object: 'chat.completion.chunk', created: 5, model: 'big' };
  const chunk = (delta: Json, finish: string | null = null): StreamEvent =>
    event({ ...head, choices: [{ index: 0, delta, finish_reason: finish }], usage: null });
  return [
    chunk({ role: 'assistant', content: '' }),
    ...reply.text.map((piece) => chunk({ content: piece })),
    ...mixed(reply).map((piece) => chunk({ tool_calls: [piece] })),
    chunk({}, completionsFinish(reply)),
    event({ ...head, choices: [], usage: completionsUsage(reply) }),
    textEvent('[DONE]'),
  ];
}

/** The pieces of all calls: each call in order, the calls mixed, but a call never begins before the one with a smaller index. */
function mixed({ calls, order }: ModelReply): readonly Json[] {
  const queues = calls.map(({ name, pieces }, index) => [
    { index, id: `call_${index}`, type: 'function', function: { name, arguments: '' } },
    ...pieces.map((piece) => ({ index, function: { arguments: piece } })),
  ]);
  const all: Json[] = [];
  for (let turn = 0; queues.some((queue) => queue.length > 0); turn += 1) {
    const started = queues.filter(
      (queue, index) =>
        queue.length > 0 && (index === 0 || (queues[index - 1]?.length ?? 0) <= (calls[index - 1]?.pieces.length ?? 0)),
    );
    const next = started[(order[turn % order.length] ?? 0) % started.length]?.shift();
    if (next !== undefined) all.push(next);
  }
  return all;
}

function messagesStop(reply: ModelReply): string {
  return endOf(reply, ['end_turn', 'max_tokens', 'refusal', 'tool_use']);
}

export function asMessage(reply: ModelReply): Json {
  const { input, output, cached } = reply;
  const text = reply.text.join('');
  const calls = reply.calls.map(({ name, pieces }, index) => {
    const parsed: unknown = JSON.parse(pieces.join(''));
    return { type: 'tool_use', id: `call_${index}`, name, input: parsed };
  });
  return {
    id: 'msg_1',
    type: 'message',
    role: 'assistant',
    model: 'big',
    content: [...(text === '' ? [] : [{ type: 'text', text }]), ...calls],
    stop_reason: messagesStop(reply),
    stop_sequence: null,
    usage: { input_tokens: input, output_tokens: output, cache_read_input_tokens: cached },
  };
}

export function asMessageEvents(reply: ModelReply): readonly StreamEvent[] {
  const { text, calls, input, output, cached } = reply;
  const first = { ...asMessage(reply), content: [], stop_reason: null };
  const blocks = [
    ...(text.length === 0
      ? []
      : [{ start: { type: 'text', text: '' }, deltas: text.map((piece) => ({ type: 'text_delta', text: piece })) }]),
    ...calls.map(({ name, pieces }, index) => ({
      start: { type: 'tool_use', id: `call_${index}`, name, input: {} },
      deltas:
        pieces.join('') === '{}' ? [] : pieces.map((piece) => ({ type: 'input_json_delta', partial_json: piece })),
    })),
  ];
  return [
    named({
      type: 'message_start',
      message: { ...first, usage: { input_tokens: input, output_tokens: 1, cache_read_input_tokens: cached } },
    }),
    named({ type: 'ping' }),
    ...blocks.flatMap(({ start, deltas }, index) => [
      named({ type: 'content_block_start', index, content_block: start }),
      ...deltas.map((delta) => named({ type: 'content_block_delta', index, delta })),
      named({ type: 'content_block_stop', index }),
    ]),
    named({
      type: 'message_delta',
      delta: { stop_reason: messagesStop(reply), stop_sequence: null },
      usage: { output_tokens: output },
    }),
    named({ type: 'message_stop' }),
  ];
}

export function asResponse(reply: ModelReply): Json {
  const { input, output, cached, finish } = reply;
  const text = reply.text.join('');
  const message = { type: 'message', id: 'msg_1', status: 'completed', role: 'assistant', content: [outputText(text)] };
  const calls = reply.calls.map((one, index) => functionCall(one, index, one.pieces.join('')));
  const reason = finish === 'length' ? 'max_output_tokens' : 'content_filter';
  return {
    id: 'resp_1',
    object: 'response',
    created_at: 5,
    model: 'big',
    status: finish === 'done' ? 'completed' : 'incomplete',
    error: null,
    incomplete_details: finish === 'done' ? null : { reason },
    output: [...(text === '' ? [] : [message]), ...calls],
    usage: {
      input_tokens: input,
      input_tokens_details: { cached_tokens: cached },
      output_tokens: output,
      total_tokens: input + output,
    },
  };
}

export function asResponseEvents(reply: ModelReply): readonly StreamEvent[] {
  const response = asResponse(reply);
  const before = reply.text.length === 0 ? 0 : 1;
  const at = { item_id: 'msg_1', output_index: 0, content_index: 0 };
  return [
    named({ type: 'response.created', response: { ...response, status: 'in_progress', output: [] } }),
    ...(before === 0
      ? []
      : [named({ type: 'response.output_item.added', output_index: 0, item: { type: 'message', id: 'msg_1' } })]),
    ...reply.text.map((piece) => named({ type: 'response.output_text.delta', ...at, delta: piece })),
    ...(before === 0 ? [] : [named({ type: 'response.output_text.done', ...at, text: reply.text.join('') })]),
    ...reply.calls.flatMap((one, index) => {
      const place = { item_id: `fc_${index}`, output_index: index + before };
      return [
        named({
          type: 'response.output_item.added',
          output_index: place.output_index,
          item: functionCall(one, index, ''),
        }),
        ...one.pieces.map((piece) => named({ type: 'response.function_call_arguments.delta', ...place, delta: piece })),
        named({ type: 'response.function_call_arguments.done', ...place, arguments: one.pieces.join('') }),
      ];
    }),
    named({ type: reply.finish === 'done' ? 'response.completed' : 'response.incomplete', response }),
  ];
}

function outputText(text: string): Json {
  return { type: 'output_text', text, annotations: [] };
}

function functionCall({ name }: ModelCall, index: number, written: string): Json {
  return { type: 'function_call', id: `fc_${index}`, call_id: `call_${index}`, name, arguments: written };
}

function event(data: Json): StreamEvent {
  return textEvent(JSON.stringify(data));
}

function named(data: Json & { readonly type: string }): StreamEvent {
  return textEvent(JSON.stringify(data), data.type);
}
