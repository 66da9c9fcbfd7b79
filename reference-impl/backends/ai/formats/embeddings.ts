import type { Format } from './format.ts';
import { asString } from '../../json.ts';
import { jsonEvent } from '../streams/stream-event.ts';
import { completionsError, completionsUsage } from './completions.ts';

/** Embeddings: `input` in, vectors out. There is no conversation, so prompts and completions are empty (PROMPT-007). */
export const embeddings: Format = {
  name: 'embeddings',
  requestProblem: (request) => {
    if (typeof request['model'] !== 'string') return 'missing field: model not specified';
    const { input } = request;
    return typeof input === 'string' || Array.isArray(input) ? undefined : 'missing field: input';
  },
  isStream: () => false,
  prompt: () => [],
  withPrompt: (request) => request,
  enrich: (request) => request,
  completion: () => [],
  withCompletion: (reply) => reply,
  toolCalls: () => [],
  usage: completionsUsage,
  usageOfEvent: completionsUsage,
  responseModel: (reply) => asString(reply['model']),
  error: completionsError,
  errorEvent: (status, message, type) => jsonEvent(completionsError(status, message, type)),
};
