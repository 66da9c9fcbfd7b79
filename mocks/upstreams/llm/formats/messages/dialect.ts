import type { Json } from '../../../../json.ts';
import type { ValuesByName } from '../../../../values-by-name.ts';
import type { Tokens } from '../../script.ts';
import type { Problem } from '../format.ts';

/**
 * The version of the API, and the credential. The present API takes keys as bearer tokens too, and that is where the documents put a key whose
 * place nobody names (BAUTH-002): which of the two it was, a case reads from the headers.
 */
export function keyAndVersionProblem(headers: ValuesByName, key: string | undefined): Problem | undefined {
  const version = headers['anthropic-version'];
  if (version === undefined) return { status: 400, message: 'anthropic-version: header is required' };
  if (typeof version !== 'string' || !VERSIONS.includes(version))
    return { status: 400, message: `anthropic-version: ${JSON.stringify(version)} is not a valid version` };
  if (key === undefined) return undefined;
  const credential = headers['x-api-key'] ?? bearerToken(headers['authorization']);
  if (typeof credential !== 'string' || credential === '')
    return { status: 401, message: 'x-api-key header is required' };
  return credential === key ? undefined : { status: 401, message: 'invalid x-api-key' };
}

const VERSIONS: readonly string[] = ['2023-06-01', '2026-10-21'];

function bearerToken(authorization: string | readonly string[] | undefined): string | undefined {
  return typeof authorization === 'string' ? /^Bearer (\S+)$/.exec(authorization)?.[1] : undefined;
}

/** The error document of this provider. */
export function messagesError({ status, message, type }: Problem): Json {
  const usual = status >= 500 ? 'api_error' : 'invalid_request_error';
  return { type: 'error', error: { type: type ?? TYPES[status] ?? usual, message }, request_id: 'req_mock' };
}

const TYPES: Readonly<Record<number, string>> = {
  401: 'authentication_error',
  402: 'billing_error',
  403: 'permission_error',
  404: 'not_found_error',
  413: 'request_too_large',
  429: 'rate_limit_error',
  504: 'timeout_error',
  529: 'overloaded_error',
};

/** Token counts of a whole message. The input leaves out what came from the cache. */
export function messageUsage({ input, output, cached = 0, cacheWrite = 0 }: Tokens): Json {
  return {
    input_tokens: input,
    cache_creation_input_tokens: cacheWrite,
    cache_read_input_tokens: cached,
    output_tokens: output,
    service_tier: 'standard',
  };
}

/** Token counts at the end of a stream: those of the whole message. */
export function countsAtTheEnd(tokens: Tokens): Json {
  const { service_tier: _, ...counts } = messageUsage(tokens);
  return counts;
}

/** The format's words for the neutral ones. */
export const STOP_REASON: Readonly<Record<string, string>> = {
  stop: 'end_turn',
  length: 'max_tokens',
  tools: 'tool_use',
  filter: 'refusal',
};
