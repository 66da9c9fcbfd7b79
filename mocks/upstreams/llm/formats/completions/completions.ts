import type { Json } from '../../../../json.ts';
import type { Said } from '../../said.ts';
import type { ValuesByName } from '../../../../values-by-name.ts';
import type { LlmFormat, Problem } from '../format.ts';
import { CREATED } from '../format.ts';
import { bearerProblem, completionUsage, openAiError } from '../openai-dialect.ts';
import { finishReason } from './finish.ts';
import { completionsProblem } from './request.ts';
import { completionsStream } from './stream.ts';

// Where provider 5 speaks this format. It takes its keys in their own field there too.
const OF_VENDOR5 = '/v1beta/openai/chat/completions';

/** Chat completions. */
export const completions: LlmFormat = {
  name: 'Completions',
  path: '/v1/chat/completions',
  alsoAt: [OF_VENDOR5],
  headerProblem: (headers, key, target) =>
    (target.startsWith(OF_VENDOR5) ? keyOfVendor5Problem : bearerProblem)(headers, key),
  bodyProblem: completionsProblem,
  error: openAiError,
  reply,
  stream: completionsStream,
};

function keyOfVendor5Problem(headers: ValuesByName, key: string | undefined): Problem | undefined {
  const given = headers['x-goog-api-key'];
  return bearerProblem(typeof given === 'string' ? { ...headers, authorization: `Bearer ${given}` } : headers, key);
}

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
