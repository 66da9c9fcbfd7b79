import type { Json } from '../../../../json.ts';
import type { Tokens } from '../../script.ts';
import type { Problem, Spoken } from '../format.ts';

/** Reads `/model/{model}/{verb}`; `verbs` says which of them stream. */
export function modelAt(path: string, verbs: Readonly<Record<string, boolean>>): Spoken | undefined {
  const [, model = '', verb = ''] = /^\/model\/([^/]+)\/([a-z-]+)$/.exec(path) ?? [];
  const streaming = Object.hasOwn(verbs, verb) ? verbs[verb] : undefined;
  if (streaming === undefined) return undefined;
  try {
    return { model: decodeURIComponent(model), streaming };
  } catch {
    return undefined; // no path the provider has
  }
}

/** The error document of cloud A. */
export function cloudError({ message }: Problem): Json {
  return { message };
}

/** The kind of an error stands in a header alone (protocol `restJson1`, "Operation error serialization"). */
export function cloudErrorHeaders({ status, type }: Problem): Readonly<Record<string, string>> {
  const usual = status >= 500 ? 'InternalServerException' : 'ValidationException';
  return { 'x-amzn-errortype': type ?? ERRORS[status] ?? usual };
}

/** Common errors and those of Converse and InvokeModel, by the status the API reference gives each. */
const ERRORS: Readonly<Record<number, string>> = {
  403: 'AccessDeniedException',
  404: 'ResourceNotFoundException',
  408: 'ModelTimeoutException',
  424: 'ModelErrorException',
  429: 'ThrottlingException',
  503: 'ServiceUnavailableException',
};

/** Token counts. The input leaves out what came from the cache, or goes there. */
export function converseUsage({ input, output, cached, cacheWrite }: Tokens): Json {
  return {
    inputTokens: input,
    outputTokens: output,
    totalTokens: input + output + (cached ?? 0) + (cacheWrite ?? 0),
    ...(cached === undefined ? {} : { cacheReadInputTokens: cached }),
    ...(cacheWrite === undefined ? {} : { cacheWriteInputTokens: cacheWrite }),
  };
}

/** The format's words for the neutral ones. */
export const STOP_REASON: Readonly<Record<string, string>> = {
  stop: 'end_turn',
  length: 'max_tokens',
  tools: 'tool_use',
  filter: 'content_filtered',
};
