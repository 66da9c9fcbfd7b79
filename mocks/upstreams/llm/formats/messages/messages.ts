import { parseJson } from '../../../../json.ts';
import type { Json } from '../../../../json.ts';
import type { Said } from '../../said.ts';
import type { LlmFormat } from '../format.ts';
import { keyAndVersionProblem, messagesError, messageUsage, STOP_REASON } from './dialect.ts';
import { messagesProblem } from './request.ts';
import { messagesStream } from './stream.ts';

/** Messages. */
export const messages: LlmFormat = {
  name: 'Messages',
  path: '/v1/messages',
  headerProblem: keyAndVersionProblem,
  bodyProblem: messagesProblem,
  error: messagesError,
  reply,
  stream: messagesStream,
};

function reply(said: Said, request: Json, model: string): Json {
  return {
    id: 'msg_mock',
    type: 'message',
    role: 'assistant',
    model,
    content: [
      ...(said.reasoning === '' ? [] : [{ type: 'thinking', thinking: said.reasoning, signature: 'c2lnbmVk' }]),
      ...said.texts.filter((text) => text !== '').map((text) => ({ type: 'text', text })),
      ...said.calls.map(({ id, name, arguments: text }) => ({ type: 'tool_use', id, name, input: inputOf(text) })),
    ],
    stop_reason: STOP_REASON[said.finish] ?? said.finish,
    stop_sequence: stopSequence(said, request),
    ...(said.tokens === undefined ? {} : { usage: messageUsage(said.tokens) }),
  };
}

/** A script may want a call that is not well formed. */
function inputOf(text: string): unknown {
  return parseJson(text === '' ? '{}' : text) ?? text;
}

function stopSequence(said: Said, request: Json): unknown {
  const asked = request['stop_sequences'];
  return said.finish === 'stop_sequence' && Array.isArray(asked) ? (asked[0] ?? null) : null;
}
