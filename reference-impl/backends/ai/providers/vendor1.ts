import type { LLMProvider } from '../../../resources/proxy-backend/variants/llm-provider.ts';
import type { Provider } from './provider.ts';
import { renameLimit } from './rename-limit.ts';
import { SUFFIXES } from './suffixes.ts';

/** Provider 1; `pathPrefix` replaces `/v1`. */
export function vendor1({ model }: NonNullable<LLMProvider['vendor1']>, pathPrefix = '/v1'): Provider {
  return {
    name: 'openai',
    host: 'api.openai.com',
    model,
    base: pathPrefix,
    realtimePath: `${pathPrefix}/realtime`,
    formats: () => ['completions', 'responses', 'embeddings', 'rerank'],
    rename: renameLimit,
    path: ({ format }) => `${pathPrefix}${SUFFIXES[format]}`,
  };
}
