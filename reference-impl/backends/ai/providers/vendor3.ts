import type { LLMProvider } from '../../../resources/proxy-backend/variants/llm-provider.ts';
import { cloudBPath } from './cloud-b-path.ts';
import type { Provider } from './provider.ts';
import { renameLimit } from './rename-limit.ts';
import { SUFFIXES } from './suffixes.ts';

type Vendor3 = NonNullable<LLMProvider['vendor3']>;

/** PROV-021, PROV-022: a resource of cloud B; its whole name and its type make the host. */
export function vendor3(settings: Vendor3): Provider {
  return settings.resourceType === 'ResourceTypeA' ? typeA(settings) : typeB(settings);
}

function typeA({ resourceName, apiVersion, model: configured }: Vendor3): Provider {
  return {
    name: 'azure',
    host: `${resourceName}.openai.azure.com`,
    model: configured,
    realtimePath: '/openai/v1/realtime',
    formats: () => ['completions', 'responses', 'embeddings', 'rerank'],
    rename: renameLimit,
    path: ({ format, model }) => cloudBPath(format, apiVersion, model),
  };
}

/** PROV-024 */
function typeB({ resourceName, projectName = resourceName, model: configured }: Vendor3): Provider {
  return {
    name: 'azure',
    host: `${resourceName}.services.ai.azure.com`,
    model: configured,
    formats: (model) =>
      isVendor4Model(model) ? ['messages', 'token-count'] : ['completions', 'responses', 'embeddings', 'rerank'],
    rename: renameLimit,
    path: ({ format }) =>
      format === 'messages' || format === 'token-count'
        ? `/anthropic/v1${SUFFIXES[format]}`
        : `/api/projects/${encodeURIComponent(projectName)}/openai/v1${SUFFIXES[format]}`,
    headers: (headers, { model }) =>
      model !== undefined && isVendor4Model(model) ? headers.set('anthropic-version', '2023-06-01') : headers,
  };
}

function isVendor4Model(model: string): boolean {
  return model.toLowerCase().startsWith('claude');
}
