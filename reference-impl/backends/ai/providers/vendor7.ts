import type { LLMProvider } from '../../../resources/proxy-backend/variants/llm-provider.ts';
import type { Provider } from './provider.ts';

/** PROV-028, PROV-029: the managed models of cloud A. What they speak is none of the formats here. */
export function vendor7({ region = 'us-east-1', model: configured }: NonNullable<LLMProvider['vendor7']>): Provider {
  return {
    name: 'aws.bedrock',
    host: `bedrock-runtime.${region}.amazonaws.com`,
    model: configured,
    formats: () => [],
    path: ({ model, streaming }) => `/model/${encodeURIComponent(model)}/${streaming ? 'converse-stream' : 'converse'}`,
  };
}
