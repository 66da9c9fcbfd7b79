import type { LLMProvider } from '../../../resources/proxy-backend/variants/llm-provider.ts';
import type { UpstreamFormatName } from '../formats/format.ts';
import { isJson, type Json } from '../../json.ts';
import { modelSegment } from '../model-name.ts';
import type { Provider, ProviderCall } from './provider.ts';
import { vendor4Model, vendor5Model } from './vendor6-models.ts';

type Vendor6 = NonNullable<LLMProvider['vendor6']>;

/** The machine-learning platform of cloud C. The models of each publisher speak their own format there. */
export function vendor6(settings: Vendor6): Provider {
  const { projectId, region = 'global', model: configured } = settings;
  const root = `/v1/projects/${encodeURIComponent(projectId)}/locations/${encodeURIComponent(region)}`;
  return {
    name: 'gcp.vertex_ai',
    host: hostOf(region),
    hosts: { rank: 'discoveryengine.googleapis.com' },
    model: configured,
    formats: spokenBy,
    path: (call) => `${root}/${PATHS[call.format]?.(call) ?? OPENAPI}`,
    body: vendor4Body,
  };
}

function hostOf(region: string): string {
  if (region === 'global') return 'aiplatform.googleapis.com';
  return MULTI_REGIONS.has(region) ? `aiplatform.${region}.rep.googleapis.com` : `${region}-aiplatform.googleapis.com`;
}

const MULTI_REGIONS: ReadonlySet<string> = new Set(['us', 'eu']);

/** Vectors and ranks have models of their own, whose names follow no rule. */
function spokenBy(model: string): readonly UpstreamFormatName[] {
  if (vendor4Model(model) !== undefined) return ['messages', 'token-count', 'predict', 'rank'];
  if (vendor5Model(model) !== undefined) return ['generate-content', 'completions', 'predict', 'rank'];
  return ['completions', 'predict', 'rank'];
}

const OPENAPI = 'endpoints/openapi/chat/completions';

/** Where a format is spoken, behind project and region. */
const PATHS: Readonly<Partial<Record<UpstreamFormatName, (call: ProviderCall) => string>>> = {
  messages: ({ model, streaming }) =>
    `publishers/anthropic/models/${modelSegment(vendor4Model(model) ?? model)}:${streaming ? 'streamRawPredict' : 'rawPredict'}`,
  'token-count': () => 'publishers/anthropic/models/count-tokens:rawPredict',
  'generate-content': ({ model, streaming }) =>
    `publishers/google/models/${modelSegment(vendor5Model(model) ?? model)}:${streaming ? 'streamGenerateContent?alt=sse' : 'generateContent'}`,
  predict: ({ model }) =>
    `publishers/google/models/${modelSegment(model.replace(/^(?:publishers\/google\/models|google)\//, ''))}:predict`,
  rank: () => 'rankingConfigs/default_ranking_config:rank',
};

/** The platform takes the model from the path, and a version of its own. Only a count names its model in the body. */
function vendor4Body(request: Json, { format, model: called }: ProviderCall): Json {
  if (format !== 'messages' && format !== 'token-count') return request;
  const { model: _model, output_format: _format, ...rest } = request;
  const named = format === 'token-count' ? { model: vendor4Model(called) ?? called } : {};
  return { ...named, ...withoutScope(rest), anthropic_version: 'vertex-2023-10-16' };
}

/** Cache marks without their `scope`, which the platform does not know. */
function withoutScope(value: Json): Json {
  return Object.fromEntries(Object.entries(value).map(([name, member]) => [name, memberWithoutScope(name, member)]));
}

function memberWithoutScope(name: string, value: unknown): unknown {
  if (Array.isArray(value)) return value.map((element) => memberWithoutScope('', element));
  if (!isJson(value)) return value;
  const { scope, ...rest } = value;
  return withoutScope(name === 'cache_control' || scope === undefined ? rest : value);
}
