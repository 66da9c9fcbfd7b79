import { collectTexts, editContent, editEach, replaceWith, withMember } from './edit-text.ts';
import type { EditText } from './edit-text.ts';
import type { Format, Usage } from './format.ts';
import { asList, asNumber, asObject, asObjects, asString, present } from '../../json.ts';
import type { Json } from '../../json.ts';
import { jsonEvent, receivedEvent } from '../streams/stream-event.ts';
import { writeSse } from '../streams/write-sse.ts';
import { conversationProblem } from './conversation-problem.ts';
import { errorType } from './error-types.ts';

/** Chat completions: `messages` in, `choices` out; streams are chunks of `choices[].delta` that end with `[DONE]`. */
export const completions: Format = {
  name: 'completions',
  requestProblem: conversationProblem,
  isStream: (request) => request['stream'] === true,
  prompt: (request) => collectTexts((edit) => editPrompt(request, edit)),
  withPrompt: (request, texts) => editPrompt(request, replaceWith(texts)),
  enrich: (request, prepend, append) => {
    if (prepend.length === 0 && append.length === 0) return request;
    return { ...request, messages: [...prepend, ...asList(request['messages']), ...append] };
  },
  askForTokens: (request) => {
    const options = asObject(request['stream_options']);
    if (request['stream'] !== true || options?.['include_usage'] === true) return request;
    return { ...request, stream_options: { ...options, include_usage: true } };
  },
  withoutTokens: (chunk) => {
    const { data = '', name } = chunk;
    if (!data.includes('"usage"') || asObject(chunk.json?.['usage']) === undefined) return chunk;
    const rest = { ...chunk.json, usage: undefined };
    return asList(chunk.json?.['choices']).length === 0 ? undefined : jsonEvent(rest, name);
  },
  completion: (reply) => collectTexts((edit) => editCompletion(reply, edit)).map(({ text }) => text),
  withCompletion: (reply, texts) => editCompletion(reply, replaceWith(texts)),
  toolCalls: (reply) =>
    asObjects(reply['choices']).flatMap((choice) =>
      asObjects(asObject(choice['message'])?.['tool_calls']).map((call) => ({
        id: asString(call['id']) ?? '',
        name: asString(asObject(call['function'])?.['name']) ?? '',
        arguments: asString(asObject(call['function'])?.['arguments']) ?? '',
      })),
    ),
  usage: completionsUsage,
  usageOfEvent: completionsUsage,
  responseModel: (replyOrChunk) => asString(replyOrChunk['model']),
  error: completionsError,
  errorEvent: (status, message, type) => jsonEvent(completionsError(status, message, type)),
};

/** The last event of every stream. */
export const DONE = receivedEvent({ bytes: writeSse('[DONE]'), data: '[DONE]', parse: () => undefined });

const TEXT = { types: ['text'], separator: ' ' };

/** Results of tools are not text that somebody wrote to the model. */
const TOOL_ROLES = ['tool', 'function'];

function editPrompt(request: Json, edit: EditText): Json {
  const messages = editEach(asList(request['messages']), (message) => {
    const role = asString(message['role']) ?? '';
    if (TOOL_ROLES.includes(role)) return message;
    return withMember(message, 'content', editContent(message['content'], role, TEXT, edit));
  });
  return messages.length === 0 ? request : withMember(request, 'messages', messages);
}

function editCompletion(reply: Json, edit: EditText): Json {
  const choices = editEach(asList(reply['choices']), (choice) => {
    const message = asObject(choice['message']);
    if (message === undefined) return choice;
    const content = editContent(message['content'], 'assistant', TEXT, edit);
    return withMember(choice, 'message', withMember(message, 'content', content));
  });
  return choices.length === 0 ? reply : withMember(reply, 'choices', choices);
}

/** Token counts of a reply or of a chunk. */
export function completionsUsage(reply: Json): Usage | undefined {
  const usage = asObject(reply['usage']);
  if (usage === undefined) return undefined;
  const input = asObject(usage['prompt_tokens_details']);
  const output = asObject(usage['completion_tokens_details']);
  const inputTokens = asNumber(usage['prompt_tokens']) ?? 0;
  const outputTokens = asNumber(usage['completion_tokens']) ?? 0;
  return {
    inputTokens,
    outputTokens,
    totalTokens: inputTokens + outputTokens,
    providerInputTokens: inputTokens,
    ...present({
      providerTotalTokens: asNumber(usage['total_tokens']),
      cachedInputTokens: asNumber(input?.['cached_tokens']) ?? asNumber(usage['cache_read_input_tokens']),
      cacheCreationInputTokens:
        asNumber(input?.['cache_write_tokens']) ?? asNumber(usage['cache_creation_input_tokens']),
      reasoningTokens: asNumber(output?.['reasoning_tokens']),
      inputAudioTokens: asNumber(input?.['audio_tokens']),
      outputAudioTokens: asNumber(output?.['audio_tokens']),
    }),
  };
}

/** The shape both formats of the same vendor tell errors in. */
export function completionsError(status: number, message: string, type: string = errorType(status)): Json {
  return { error: { message, type, param: null, code: null } };
}
