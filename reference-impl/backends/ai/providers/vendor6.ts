import type { LLMProvider } from '../../../resources/proxy-backend/variants/llm-provider.ts';
import { isJson, type Json } from '../json.ts';
import type { Provider, ProviderCall } from './provider.ts';

type Vendor6 = NonNullable<LLMProvider['vendor6']>;

/** The machine-learning platform of cloud C. Models of provider 4 speak Messages there, all others Completions. */
export function vendor6(settings: Vendor6): Provider {
  const { projectId, region = 'global', model: configured } = settings;
  const root = `/v1/projects/${encodeURIComponent(projectId)}/locations/${encodeURIComponent(region)}`;
  return {
    name: 'gcp.vertex_ai',
    host: hostOf(region),
    model: configured,
    formats: (model) => (vendor4Model(model) === undefined ? ['completions'] : ['messages']),
    path: ({ format, model, streaming }) =>
      format === 'messages'
        ? `${root}/publishers/anthropic/models/${encodeURIComponent(vendor4Model(model) ?? model)}:${streaming ? 'streamRawPredict' : 'rawPredict'}`
        : `${root}/endpoints/openapi/chat/completions`,
    body: vendor4Body,
  };
}

function hostOf(region: string): string {
  if (region === 'global') return 'aiplatform.googleapis.com';
  return MULTI_REGIONS.has(region) ? `aiplatform.${region}.rep.googleapis.com` : `${region}-aiplatform.googleapis.com`;
}

const MULTI_REGIONS: ReadonlySet<string> = new Set(['us', 'eu']);

/** The id of a model of provider 4 as the platform spells it, with `@` before its date; undefined for other models. */
function vendor4Model(model: string): string | undefined {
  const id = /(?:publishers\/anthropic\/models\/|^anthropic\/|^(?=claude-))([^/]+)$/.exec(model)?.[1];
  return id?.replace(/-(\d{8})$/, '@$1');
}

/** The platform takes the model from the path, and a version of its own. */
function vendor4Body(request: Json, { format }: ProviderCall): Json {
  if (format !== 'messages') return request;
  const { model: _model, output_format: _format, ...rest } = request;
  return { ...withoutScope(rest), anthropic_version: 'vertex-2023-10-16' };
}

/** Cache marks without their `scope`, which the platform does not know. */
function withoutScope(value: Json): Json {
  return Object.fromEntries(Object.entries(value).map(([name, member]) => [name, unscoped(name, member)]));
}

function unscoped(name: string, value: unknown): unknown {
  if (Array.isArray(value)) return value.map((element) => unscoped('', element));
  if (!isJson(value)) return value;
  const { scope, ...rest } = value;
  return withoutScope(name === 'cache_control' || scope === undefined ? rest : value);
}
