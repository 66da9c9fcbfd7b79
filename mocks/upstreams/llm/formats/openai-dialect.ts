import type { Json } from '../../../json.ts';
import type { ValuesByName } from '../../../values-by-name.ts';
import type { Tokens } from '../script.ts';
import type { Problem } from './format.ts';

/** `Authorization: Bearer`, as the provider of Completions, Responses and Embeddings wants it; without a key nobody has to show one. */
export function bearerProblem(headers: ValuesByName, key: string | undefined): Problem | undefined {
  if (key === undefined) return undefined;
  const given = headers['authorization'];
  const token = typeof given === 'string' ? /^Bearer (\S+)$/.exec(given)?.[1] : undefined;
  if (token === undefined) {
    return {
      status: 401,
      message: 'No API key in the Authorization header; expected: Bearer YOUR_KEY.',
      type: REQUEST,
    };
  }
  if (token === key) return undefined;
  return { status: 401, message: 'Incorrect API key provided.', type: REQUEST, code: 'invalid_api_key' };
}

/** The error document of this provider. */
export function openAiError({ status, message, type, code, param }: Problem): Json {
  const usual = TYPES[status] ?? (status >= 500 ? { type: 'server_error' } : { type: REQUEST });
  return { error: { message, type: type ?? usual.type, param: param ?? null, code: code ?? usual.code ?? null } };
}

const REQUEST = 'invalid_request_error';

const TYPES: Readonly<Record<number, { readonly type: string; readonly code?: string }>> = {
  401: { type: REQUEST, code: 'invalid_api_key' },
  404: { type: REQUEST, code: 'model_not_found' },
  429: { type: 'requests', code: 'rate_limit_exceeded' },
};

/** Token counts of Completions. The input includes what came from the cache. */
export function completionUsage({ input, output, ...more }: Tokens): Json {
  const { cached = 0, cacheWrite, reasoning = 0, audioInput = 0, audioOutput = 0 } = more;
  return {
    prompt_tokens: input,
    completion_tokens: output,
    total_tokens: input + output,
    prompt_tokens_details: {
      cached_tokens: cached,
      ...(cacheWrite === undefined ? {} : { cache_write_tokens: cacheWrite }),
      audio_tokens: audioInput,
    },
    completion_tokens_details: {
      reasoning_tokens: reasoning,
      audio_tokens: audioOutput,
      accepted_prediction_tokens: 0,
      rejected_prediction_tokens: 0,
    },
  };
}
