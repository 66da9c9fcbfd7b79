import type { LLMProvider } from '../../../resources/proxy-backend/variants/llm-provider.ts';
import type { Provider } from './provider.ts';
import { SUFFIXES } from './suffixes.ts';

/** Provider 5, spoken to in the formats of provider 1. */
export function vendor5({ model }: NonNullable<LLMProvider['vendor5']>): Provider {
  return {
    name: 'gcp.gemini',
    host: 'generativelanguage.googleapis.com',
    model,
    formats: () => ['completions', 'embeddings'],
    path: ({ format }) => `/v1beta/openai${SUFFIXES[format]}`,
  };
}
