import type { Json } from '../../../../json.ts';
import type { Said } from '../../said.ts';
import type { LlmFormat } from '../format.ts';
import { CREATED } from '../format.ts';
import { bearerProblem, completionUsage, openAiError } from '../openai-dialect.ts';
import { finishReason } from './finish.ts';
import { completionsProblem } from './request.ts';
import { completionsStream } from './stream.ts';

/** Chat completions. */
export const completions: LlmFormat = {
  name: 'Completions',
  path: '/v1/chat/completions',
  alsoAt: ['/v1beta/openai/chat/completions'],
  headerProblem: bearerProblem,
  bodyProblem: completionsProblem,
  error: openAiError,
  reply,
  stream: completionsStream,
};

function reply(said: Said, request: Json, model: string): Json {
  const texts = said.texts.length === 0 ? [''] : said.texts;
  const choices = Math.max(texts.length, Number(request['n'] ?? 1));
  return {
    id: 'chatcmpl-mock',
    object: 'chat.completion',
    created: CREATED,
    model,
    choices: Array.from({ length: choices }, (_, index) =>
      choice(said, texts[index] ?? texts[0] ?? '', index, request),
    ),
    ...(said.tokens === undefined ? {} : { usage: completionUsage(said.tokens) }),
    service_tier: 'default',
    system_fingerprint: 'fp_mock',
  };
}

function choice(said: Said, text: string, index: number, request: Json): Json {
  const calls = said.calls.map(({ id, name, arguments: json }) => ({
    id,
    type: 'function',
    function: { name, arguments: json },
  }));
  return {
    index,
    message: {
      role: 'assistant',
      content: text === '' && calls.length > 0 ? null : text,
      refusal: null,
      annotations: [],
      ...(said.reasoning === '' ? {} : { reasoning_content: said.reasoning }),
      ...(calls.length === 0 ? {} : { tool_calls: calls }),
    },
    logprobs: null,
    finish_reason: finishReason(said.finish, request),
  };
}
