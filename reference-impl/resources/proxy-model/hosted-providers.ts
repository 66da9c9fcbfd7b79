import type { LLMProvider } from '../proxy-backend/variants/llm-provider.ts';

type Formats = NonNullable<LLMProvider['custom']>['formats'];

/** A provider that is known by its address and by what it speaks there. */
export interface HostedProvider {
  /** As expressions and telemetry name it. */
  readonly name: string;
  /** Undefined for one that everybody runs at an address of their own. */
  readonly baseURL: string | undefined;
  readonly formats: Formats;
}

const COMPLETIONS = { type: 'Completions' } as const;
const MESSAGES = { type: 'Messages' } as const;
const RESPONSES = { type: 'Responses' } as const;
const EMBEDDINGS = { type: 'Embeddings' } as const;
const RERANK = { type: 'Rerank' } as const;
const REALTIME = { type: 'Realtime' } as const;
/** Messages beside an API of another kind. */
const MESSAGES_ASIDE = { type: 'Messages', path: '/anthropic/v1/messages' } as const;

/**
 * MODEL-039: the documents name the first six providers of a model and the last. The thirteen between have placeholders
 * as names (`resources/proxy-model/model.ts`); what stands behind each is our choice (docs/decisions/models.md).
 */
export const HOSTED_PROVIDERS: Readonly<Record<string, HostedProvider>> = {
  Provider8: {
    name: 'cohere',
    baseURL: 'https://api.cohere.ai',
    formats: [
      { type: 'Completions', path: '/compatibility/v1/chat/completions' },
      { type: 'Embeddings', path: '/compatibility/v1/embeddings' },
      { type: 'Rerank', path: '/v2/rerank' },
    ],
  },
  Provider9: { name: 'ollama', baseURL: undefined, formats: [COMPLETIONS, RESPONSES, EMBEDDINGS] },
  Provider10: { name: 'baseten', baseURL: 'https://inference.baseten.co/v1', formats: [COMPLETIONS, MESSAGES] },
  Provider11: { name: 'cerebras', baseURL: 'https://api.cerebras.ai/v1', formats: [COMPLETIONS] },
  Provider12: {
    name: 'deepinfra',
    baseURL: 'https://api.deepinfra.com/v1/openai',
    formats: [COMPLETIONS, MESSAGES_ASIDE, EMBEDDINGS],
  },
  Provider13: {
    name: 'deepseek',
    baseURL: 'https://api.deepseek.com/v1',
    formats: [COMPLETIONS, MESSAGES_ASIDE, RESPONSES],
  },
  Provider14: { name: 'groq', baseURL: 'https://api.groq.com/openai/v1', formats: [COMPLETIONS, RESPONSES] },
  Provider15: {
    name: 'huggingface',
    baseURL: 'https://router.huggingface.co/v1',
    formats: [COMPLETIONS, RESPONSES],
  },
  Provider16: { name: 'mistral', baseURL: 'https://api.mistral.ai/v1', formats: [COMPLETIONS, EMBEDDINGS] },
  Provider17: {
    name: 'openrouter',
    baseURL: 'https://openrouter.ai/api/v1',
    formats: [COMPLETIONS, MESSAGES, RESPONSES, EMBEDDINGS, RERANK],
  },
  Provider18: {
    name: 'togetherai',
    baseURL: 'https://api.together.xyz/v1',
    formats: [COMPLETIONS, EMBEDDINGS, RERANK],
  },
  Provider19: { name: 'xai', baseURL: 'https://api.x.ai/v1', formats: [COMPLETIONS, RESPONSES, REALTIME] },
  Provider20: {
    name: 'fireworks',
    baseURL: 'https://api.fireworks.ai/inference/v1',
    formats: [COMPLETIONS, MESSAGES, RESPONSES, EMBEDDINGS, RERANK],
  },
};
