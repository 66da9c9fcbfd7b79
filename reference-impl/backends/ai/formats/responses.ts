import { collectTexts, editContent, editEach, replaceWith, withMember } from './edit-text.ts';
import type { EditText } from './edit-text.ts';
import type { Format, Message, Usage } from './format.ts';
import { asList, asObject, asObjects, asString, numberAt, present } from '../../json.ts';
import type { Json } from '../../json.ts';
import { jsonEvent } from '../streams/stream-event.ts';
import { completionsError } from './completions.ts';
import { errorType } from './error-types.ts';

/** Responses: `instructions` and `input` items in, `output` items out; streams are `response.*` events. */
export const responses: Format = {
  name: 'responses',
  requestProblem: (request) => {
    if (typeof request['model'] !== 'string') return 'missing field: model not specified';
    const { input } = request;
    if (input === undefined && ELSEWHERE.some((member) => request[member] !== undefined)) return undefined;
    if (typeof input !== 'string' && !Array.isArray(input)) return 'missing field: input';
    return input.length === 0 ? 'input has no item' : undefined;
  },
  isStream: (request) => request['stream'] === true,
  prompt: (request) => collectTexts((edit) => editPrompt(request, edit)),
  withPrompt: (request, texts) => editPrompt(request, replaceWith(texts)),
  enrich: (request, prepend, append) => {
    if (prepend.length === 0 && append.length === 0) return request;
    return { ...request, input: [...prepend.map(item), ...inputItems(request['input']), ...append.map(item)] };
  },
  completion: (reply) => collectTexts((edit) => editCompletion(reply, edit)).map(({ text }) => text),
  withCompletion: (reply, texts) => editCompletion(reply, replaceWith(texts)),
  toolCalls: (reply) =>
    asObjects(reply['output'])
      .filter((output) => output['type'] === 'function_call')
      .map((output) => ({
        id: asString(output['call_id']) ?? '',
        name: asString(output['name']) ?? '',
        arguments: asString(output['arguments']) ?? '',
      })),
  usage: responsesUsage,
  usageOfEvent: (data) => responsesUsage(asObject(data['response']) ?? {}),
  responseModel: (replyOrEvent) =>
    asString(replyOrEvent['model']) ?? asString(asObject(replyOrEvent['response'])?.['model']),
  error: completionsError,
  errorEvent: (status, message, type = errorType(status)) =>
    jsonEvent({ type: 'error', code: type, message, param: null }, 'error'),
};

/** The conversation so far may be kept by the provider; then there need not be any input. */
const ELSEWHERE = ['previous_response_id', 'conversation', 'prompt'];

const TEXT = { types: ['input_text', 'output_text', 'text'], separator: '\n' };

function item({ role, content }: Message): Json {
  return { type: 'message', role, content };
}

function inputItems(input: unknown): readonly unknown[] {
  return typeof input === 'string' ? [item({ role: 'user', content: input })] : asList(input);
}

function editPrompt(request: Json, edit: EditText): Json {
  const instructions = asString(request['instructions']);
  const told = instructions === undefined ? request : withMember(request, 'instructions', edit(instructions, 'system'));
  const { input } = request;
  if (typeof input === 'string') return withMember(told, 'input', edit(input, 'user'));
  const items = editEach(asList(input), (element) => {
    const role = asString(element['role']);
    if (role === undefined) return element;
    return withMember(element, 'content', editContent(element['content'], role, TEXT, edit));
  });
  return items.length === 0 ? told : withMember(told, 'input', items);
}

function editCompletion(reply: Json, edit: EditText): Json {
  const output = editEach(asList(reply['output']), (element) => {
    if (element['type'] !== 'message') return element;
    const content = editEach(asList(element['content']), (part) => {
      const text = part['type'] === 'output_text' ? asString(part['text']) : undefined;
      return text === undefined ? part : withMember(part, 'text', edit(text, 'assistant'));
    });
    return content.length === 0 ? element : withMember(element, 'content', content);
  });
  return output.length === 0 ? reply : withMember(reply, 'output', output);
}

function responsesUsage(reply: Json): Usage | undefined {
  const usage = asObject(reply['usage']);
  if (usage === undefined) return undefined;
  const input = asObject(usage['input_tokens_details']);
  const output = asObject(usage['output_tokens_details']);
  const inputTokens = numberAt(usage, 'input_tokens') ?? 0;
  const outputTokens = numberAt(usage, 'output_tokens') ?? 0;
  return {
    inputTokens,
    outputTokens,
    totalTokens: inputTokens + outputTokens,
    providerInputTokens: inputTokens,
    ...present({
      providerTotalTokens: numberAt(usage, 'total_tokens'),
      cachedInputTokens: numberAt(input, 'cached_tokens'),
      cacheCreationInputTokens: numberAt(input, 'cache_write_tokens'),
      reasoningTokens: numberAt(output, 'reasoning_tokens'),
      inputAudioTokens: numberAt(input, 'audio_tokens'),
      outputAudioTokens: numberAt(output, 'audio_tokens'),
      inputImageTokens: numberAt(input, 'image_tokens'),
      inputTextTokens: numberAt(input, 'text_tokens'),
      outputImageTokens: numberAt(output, 'image_tokens'),
      outputTextTokens: numberAt(output, 'text_tokens'),
    }),
  };
}
