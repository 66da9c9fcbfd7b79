import type { LLMProvider } from '../../../resources/proxy-backend/variants/llm-provider.ts';
import { cloudBPath } from './cloud-b-path.ts';
import type { Provider } from './provider.ts';
import { renameLimit } from './rename-limit.ts';

/** PROV-018, PROV-019, PROV-020, PROV-040: provider 1 as hosted by cloud B, where a deployment stands for the model. */
export function vendor2({ endpoint, deploymentName, apiVersion }: NonNullable<LLMProvider['vendor2']>): Provider {
  return {
    name: 'azure',
    host: endpoint.replace(/^[a-z]+:\/\//i, '').replace(/\/.*$/, ''),
    model: deploymentName,
    realtimePath: '/openai/v1/realtime',
    formats: () => ['completions', 'responses', 'embeddings', 'rerank'],
    rename: renameLimit,
    path: ({ format, model }) => cloudBPath(format, apiVersion, deploymentName ?? model),
  };
}
