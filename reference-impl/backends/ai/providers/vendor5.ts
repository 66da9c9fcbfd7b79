import type { HeaderMap } from '../../../base/headers.ts';
import type { LLMProvider } from '../../../resources/proxy-backend/variants/llm-provider.ts';
import { modelSegment } from '../model-name.ts';
import type { CredentialCall, Provider } from './provider.ts';
import { SUFFIXES } from './suffixes.ts';

/** Provider 5: its native form has the model and the verb in the path; the formats of provider 1 are there too. */
export function vendor5({ model: configured }: NonNullable<LLMProvider['vendor5']>): Provider {
  return {
    name: 'gcp.gemini',
    host: 'generativelanguage.googleapis.com',
    model: configured,
    formats: () => ['generate-content', 'completions', 'embeddings'],
    path: ({ format, model, streaming }) =>
      format === 'generate-content'
        ? `/v1beta/models/${modelSegment(model.replace(/^models\//, ''))}${nativeVerb(streaming)}`
        : `/v1beta/openai${SUFFIXES[format]}`,
    headers: withKey,
  };
}

/** Without `alt=sse` a stream would be one long JSON array. */
function nativeVerb(streaming: boolean): string {
  return streaming ? ':streamGenerateContent?alt=sse' : ':generateContent';
}

/** Native requests have an API key in a field of its own; tokens, and what the operator placed, stay where they are. */
function withKey(headers: HeaderMap, { format, placed }: CredentialCall): HeaderMap {
  const key = /^bearer (AIza.+)$/i.exec(headers.get('authorization') ?? '')?.[1];
  if (key === undefined || placed || format !== 'generate-content') return headers;
  return headers.remove('authorization').set('x-goog-api-key', key);
}
