import { bearerProblem, openAiError } from '../openai-dialect.ts';
import type { LlmFormat } from '../format.ts';
import { responseDocument } from './document.ts';
import { responsesProblem } from './request.ts';
import { responsesStream } from './stream.ts';

/** Responses. */
export const responses: LlmFormat = {
  name: 'Responses',
  path: '/v1/responses',
  headerProblem: bearerProblem,
  bodyProblem: responsesProblem,
  error: openAiError,
  reply: responseDocument,
  stream: responsesStream,
};
