import { Buffer } from 'node:buffer';
import type { HeaderMap } from '../../../base/headers.ts';
import { cloudASigner } from '../../../credentials/cloud-a/cloud-a-signer.ts';
import type { LLMProvider } from '../../../resources/proxy-backend/variants/llm-provider.ts';
import type { Json } from '../formats/format.ts';
import { asObject, entryOf, isJson, parseObject } from '../../json.ts';
import { modelSegment } from '../model-name.ts';
import type { Provider, ProviderCall } from './provider.ts';
import { SUFFIXES } from './suffixes.ts';

type Vendor7 = NonNullable<LLMProvider['vendor7']>;

/**
 * PROV-028, PROV-029: the managed models of cloud A. The path names the model, and whether it is a stream.
 * docs/decisions/vendor7.md
 */
export function vendor7({ region = 'us-east-1', model: configured, guardrail }: Vendor7): Provider {
  return {
    name: 'aws.bedrock',
    host: `bedrock-runtime.${region}.amazonaws.com`,
    hosts: { 'agent-rerank': `bedrock-agent-runtime.${region}.amazonaws.com` },
    model: configured,
    formats: (model) => ['converse', 'invoke', 'agent-rerank', ...(model.includes('anthropic.claude') ? COUNTED : [])],
    path: pathOf,
    headers: (headers) => headers.remove(...MEANT_FOR_OTHERS),
    body: (request, call, headers) =>
      entryOf(EDITS, call.format)?.(request, { ...call, headers, region, guardrail }) ?? request,
    signer: cloudASigner({}, NOBODY),
  };
}

/** Only the models that come from vendor4 have their tokens counted by the provider. */
const COUNTED = ['count-tokens'] as const;

function pathOf({ format, model, streaming }: ProviderCall): string {
  if (format === 'agent-rerank') return SUFFIXES[format];
  return `/model/${modelSegment(model)}${format === 'converse' && streaming ? '/converse-stream' : SUFFIXES[format]}`;
}

/** What the proxy reads itself, and what only vendor1 knows. */
const MEANT_FOR_OTHERS = ['x-bedrock-metadata', 'conversation_id', 'session_id'];

/** No resource says how to sign, so nothing in it is relative to a namespace. */
const NOBODY = { kind: 'ProxyBackend', namespace: '', name: '' } as const;

interface Context extends ProviderCall {
  readonly headers: HeaderMap;
  readonly region: string;
  readonly guardrail: Vendor7['guardrail'];
}

type Edit = (request: Json, context: Context) => Json;

const asConversation: Edit = (request, { headers, guardrail }) => ({
  ...request,
  ...guardrailConfig(guardrail),
  ...requestMetadata(headers),
});

/** PROV-030, PROV-031 */
function guardrailConfig(guardrail: Vendor7['guardrail']): Json {
  if (guardrail === undefined) return {};
  const { identifier, version } = guardrail;
  return { guardrailConfig: { guardrailIdentifier: identifier, guardrailVersion: version, trace: 'enabled' } };
}

/** What the client wants to find its calls by in the provider's logs: a JSON object; all its values become text. */
function requestMetadata(headers: HeaderMap): Json {
  const metadata = parseObject(headers.get('x-bedrock-metadata') ?? '');
  const entries = Object.entries(metadata ?? {}).filter(([, value]) => !isJson(value) && !Array.isArray(value));
  if (entries.length === 0) return {};
  return { requestMetadata: Object.fromEntries(entries.map(([name, value]) => [name, String(value)])) };
}

const asCount: Edit = (request, { headers }) => {
  const asked = { ...request, anthropic_version: headers.get('anthropic-version') ?? '2023-06-01' };
  return { input: { invokeModel: { body: Buffer.from(JSON.stringify(asked)).toString('base64') } } };
};

/** Here the model is named by where it is. */
const asRerank: Edit = (request, { model, region }) => {
  const modelArn = model.startsWith('arn:') ? model : `arn:aws:bedrock:${region}::foundation-model/${model}`;
  const { rerankingConfiguration, ...rest } = request;
  const { bedrockRerankingConfiguration, ...configuration } = asObject(rerankingConfiguration) ?? {};
  const named = { ...asObject(bedrockRerankingConfiguration), modelConfiguration: { modelArn } };
  return { ...rest, rerankingConfiguration: { ...configuration, bedrockRerankingConfiguration: named } };
};

const EDITS: Readonly<Record<string, Edit>> = {
  converse: asConversation,
  'count-tokens': asCount,
  'agent-rerank': asRerank,
};
