import type { Json } from '../../../../json.ts';
import type { Said } from '../../said.ts';
import type { Tokens } from '../../script.ts';
import { CREATED } from '../format.ts';

/** The whole response: reasoning, one message, then the calls. */
export function responseDocument(said: Said, request: Json, model: string): Json {
  return { ...emptyResponse(request, model), ...ending(said), output: outputOf(said) };
}

/** The response before the model said anything. */
export function emptyResponse(request: Json, model: string): Json {
  const echoed = ECHOED.filter((member) => (request[member] ?? undefined) !== undefined);
  return { ...EMPTY, model, ...Object.fromEntries(echoed.map((member) => [member, request[member]])) };
}

const EMPTY: Json = {
  id: 'resp_mock',
  object: 'response',
  created_at: CREATED,
  status: 'in_progress',
  error: null,
  incomplete_details: null,
  instructions: null,
  max_output_tokens: null,
  model: '',
  output: [],
  parallel_tool_calls: true,
  previous_response_id: null,
  reasoning: { effort: null, summary: null },
  store: true,
  temperature: 1,
  text: { format: { type: 'text' } },
  tool_choice: 'auto',
  tools: [],
  top_p: 1,
  truncation: 'disabled',
  usage: null,
  user: null,
  metadata: {},
};

/** Members that say what the request said. */
const ECHOED = [
  'instructions',
  'max_output_tokens',
  'parallel_tool_calls',
  'previous_response_id',
  'reasoning',
  'store',
  'temperature',
  'text',
  'tool_choice',
  'tools',
  'top_p',
  'truncation',
  'user',
  'metadata',
];

/** Status, reasons and tokens at the end. */
export function ending({ finish, tokens }: Said): Json {
  const usage = tokens === undefined ? {} : { usage: usageOf(tokens) };
  return { ...(ENDINGS[finish] ?? { status: finish }), ...usage };
}

const ENDINGS: Readonly<Record<string, Json>> = {
  stop: { status: 'completed' },
  tools: { status: 'completed' },
  length: { status: 'incomplete', incomplete_details: { reason: 'max_output_tokens' } },
  filter: { status: 'incomplete', incomplete_details: { reason: 'content_filter' } },
  failed: { status: 'failed', error: { code: 'server_error', message: 'the model failed' } },
};

function usageOf({ input, output, cached = 0, reasoning = 0 }: Tokens): Json {
  return {
    input_tokens: input,
    input_tokens_details: { cached_tokens: cached },
    output_tokens: output,
    output_tokens_details: { reasoning_tokens: reasoning },
    total_tokens: input + output,
  };
}

/** The items a response consists of, in order. */
export function outputOf({ reasoning, texts, calls }: Said): readonly Json[] {
  return [
    ...(reasoning === '' ? [] : [reasoningItem(reasoning)]),
    ...(texts.length === 0 ? [] : [messageItem(texts)]),
    ...calls.map((call, index) => callItem(index, call)),
  ];
}

/** An item that thinks. */
export function reasoningItem(text: string): Json {
  return { id: 'rs_mock', type: 'reasoning', summary: [{ type: 'summary_text', text }] };
}

/** An item that speaks. */
export function messageItem(texts: readonly string[], status = 'completed'): Json {
  return { id: 'msg_mock', type: 'message', status, role: 'assistant', content: texts.map(textPart) };
}

/** A part of a message. */
export function textPart(text: string): Json {
  return { type: 'output_text', text, annotations: [], logprobs: [] };
}

/** An item that calls a tool. Its own id is not the id of the call. */
export function callItem(
  index: number,
  { id, name, arguments: text }: { readonly id: string; readonly name: string; readonly arguments: string },
  status = 'completed',
): Json {
  return { id: `fc_${index + 1}`, type: 'function_call', status, call_id: id, name, arguments: text };
}
