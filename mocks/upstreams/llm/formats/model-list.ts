import type { Said } from '../said.ts';
import { CREATED } from './format.ts';
import type { LlmFormat } from './format.ts';
import { keyAndVersionProblem, messagesError } from './messages/dialect.ts';
import { bearerProblem, openAiError } from './openai-dialect.ts';

const MODEL = 'model-mock';
/** `CREATED` as the provider of Messages writes moments. */
const CREATED_AT = '2025-06-15T15:06:40Z';

/** The models of a provider, as the provider of Completions lists them. */
export const modelList: LlmFormat = {
  name: 'ModelList',
  path: '/v1/models',
  alsoAt: ['/models'],
  reads: { model: MODEL },
  headerProblem: bearerProblem,
  bodyProblem: () => undefined,
  error: openAiError,
  reply: (said, _, model) => ({
    object: 'list',
    data: idsOf(said, model).map((id) => ({ id, object: 'model', created: CREATED, owned_by: 'mock' })),
  }),
};

/** The same as the provider of Messages lists them. Both have the same path, so a peer that speaks every format has the other one. */
export const messagesModelList: LlmFormat = {
  name: 'MessagesModelList',
  path: '/v1/models',
  reads: { model: MODEL },
  headerProblem: keyAndVersionProblem,
  bodyProblem: () => undefined,
  error: messagesError,
  reply: (said, _, model) => {
    const ids = idsOf(said, model);
    return {
      data: ids.map((id) => ({ type: 'model', id, display_name: id, created_at: CREATED_AT })),
      first_id: ids[0],
      last_id: ids.at(-1),
      has_more: false,
    };
  },
};

function idsOf({ models }: Said, model: string): readonly string[] {
  return models.length === 0 ? [model] : models;
}
