import { collectTexts, editContent, editEach, replaceWith, withMember } from './edit-text.ts';
import type { EditText } from './edit-text.ts';
import type { Format, Message, Usage } from './format.ts';
import { asList, asNumber, asObject, asObjects, asString, present } from '../../json.ts';
import type { Json } from '../../json.ts';
import { jsonEvent } from '../streams/stream-event.ts';
import { conversationProblem } from './conversation-problem.ts';
import { errorType } from './error-types.ts';
import { usageBesideCache } from './usage-beside-cache.ts';

/** Messages: `system` and `messages` in, `content` blocks out; streams are named events from message_start to message_stop. */
export const messages: Format = {
  name: 'messages',
  requestProblem: conversationProblem,
  isStream: (request) => request['stream'] === true,
  prompt: (request) => collectTexts((edit) => editPrompt(request, edit)),
  withPrompt: (request, texts) => editPrompt(request, replaceWith(texts)),
  enrich: (request, prepend, append) => {
    if (prepend.length === 0 && append.length === 0) return request;
    const system = enrichedSystem(request['system'], prepend.filter(isSystem), append.filter(isSystem));
    const others = (list: readonly Message[]): readonly Message[] => list.filter((message) => !isSystem(message));
    const list = [...others(prepend), ...asList(request['messages']), ...others(append)];
    return { ...request, ...present({ system }), messages: list };
  },
  completion: (reply) => collectTexts((edit) => editCompletion(reply, edit)).map(({ text }) => text),
  withCompletion: (reply, texts) => editCompletion(reply, replaceWith(texts)),
  toolCalls: (reply) =>
    asObjects(reply['content'])
      .filter((block) => block['type'] === 'tool_use')
      .map((block) => ({
        id: asString(block['id']) ?? '',
        name: asString(block['name']) ?? '',
        arguments: JSON.stringify(block['input'] ?? {}),
      })),
  usage: messagesUsage,
  usageOfEvent: (data) => messagesUsage(data) ?? messagesUsage(asObject(data['message']) ?? {}),
  responseModel: (replyOrEvent) =>
    asString(replyOrEvent['model']) ?? asString(asObject(replyOrEvent['message'])?.['model']),
  error: messagesError,
  errorEvent: (status, message, type) => jsonEvent(messagesError(status, message, type), 'error'),
};

const TEXT = { types: ['text'], separator: ' ' };
const SYSTEM_TEXT = { types: ['text'], separator: '\n' };

/** This format keeps what the operator says apart from the conversation (PROMPT-008). */
function isSystem({ role }: Message): boolean {
  return role === 'system' || role === 'developer';
}

function enrichedSystem(system: unknown, before: readonly Message[], after: readonly Message[]): unknown {
  if (before.length === 0 && after.length === 0) return system;
  if (Array.isArray(system)) return [...before.map(textBlock), ...asList(system), ...after.map(textBlock)];
  const own = asString(system);
  return [...before.map(textOf), ...(own === undefined ? [] : [own]), ...after.map(textOf)].join('\n');
}

function textOf({ content }: Message): string {
  return content;
}

function textBlock({ content }: Message): Json {
  return { type: 'text', text: content };
}

function editPrompt(request: Json, edit: EditText): Json {
  const system = editContent(request['system'], 'system', SYSTEM_TEXT, edit);
  const list = editEach(asList(request['messages']), (message) => {
    const role = asString(message['role']) ?? '';
    return withMember(message, 'content', editContent(message['content'], role, TEXT, edit));
  });
  const edited = withMember(request, 'system', system);
  return list.length === 0 ? edited : withMember(edited, 'messages', list);
}

function editCompletion(reply: Json, edit: EditText): Json {
  const content = editEach(asList(reply['content']), (block) => {
    const text = block['type'] === 'text' ? asString(block['text']) : undefined;
    return text === undefined ? block : withMember(block, 'text', edit(text, 'assistant'));
  });
  return content.length === 0 ? reply : withMember(reply, 'content', content);
}

function messagesUsage(reply: Json): Usage | undefined {
  const usage = asObject(reply['usage']);
  return (
    usage &&
    usageBesideCache({
      input: asNumber(usage['input_tokens']),
      output: asNumber(usage['output_tokens']),
      cached: asNumber(usage['cache_read_input_tokens']),
      created: asNumber(usage['cache_creation_input_tokens']),
    })
  );
}

function messagesError(status: number, message: string, type: string = errorType(status)): Json {
  return { type: 'error', error: { type, message } };
}
