import type { LLMProvider } from '../../../resources/proxy-backend/variants/llm-provider.ts';
import { cloudBPath } from './cloud-b-path.ts';
import type { Provider } from './provider.ts';
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
    formats: () => ['completions', 'responses', 'embeddings'],
    path: ({ format, model }) => cloudBPath(format, apiVersion, model),
  };
}

/** PROV-024 */
function typeB({ resourceName, projectName = resourceName, model: configured }: Vendor3): Provider {
  return {
    name: 'azure',
    host: `${resourceName}.services.ai.azure.com`,
    model: configured,
    formats: (model) => (isVendor4Model(model) ? ['messages'] : ['completions', 'responses', 'embeddings']),
    path: ({ format }) =>
      format === 'messages'
        ? '/anthropic/v1/messages'
        : `/api/projects/${encodeURIComponent(projectName)}/openai/v1${SUFFIXES[format]}`,
    headers: (headers, { model }) =>
      model !== undefined && isVendor4Model(model) ? headers.set('anthropic-version', '2023-06-01') : headers,
  };
}

function isVendor4Model(model: string): boolean {
  return model.toLowerCase().startsWith('claude');
}
