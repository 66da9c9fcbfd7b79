import { describe, expect, test } from 'vitest';
import type { BackendView, Endpoint } from '../../../../attachment/view.ts';
import { backendFor, destinationOf, targetOf, untouchedTarget } from '../../../../backends/ai/providers/destination.ts';
import type { UpstreamFormatName } from '../../../../backends/ai/formats/format.ts';
import { HeaderMap } from '../../../../base/headers.ts';
import type { LLMProvider } from '../../../../resources/proxy-backend/variants/llm-provider.ts';

/*
 * What cases cannot reach: the hosts of the providers are on the internet. Nothing is called here; the destination and
 * the credential of each provider are computed and compared.
 */

function backend(provider: LLMProvider, more: Partial<BackendView> = {}): BackendView {
  const policies = { sources: {} };
  return {
    name: 'ns/llm',
    key: 'ProxyBackend/ns/llm',
    type: 'ai',
    protocol: 'ai',
    endpoints: [],
    policies,
    mirrors: [],
    provider,
    ...more,
  };
}

interface Row {
  readonly name: string;
  readonly provider: LLMProvider;
  readonly host: string;
  readonly paths: Partial<Record<UpstreamFormatName, string>>;
  readonly model?: string;
}

const typeA = { resourceName: 'my-resource', resourceType: 'ResourceTypeA' } as const;
const typeB = { resourceName: 'my-resource', resourceType: 'ResourceTypeB', projectName: 'proj' } as const;

const ROWS: readonly Row[] = [
  {
    name: 'vendor1',
    provider: { vendor1: {} },
    host: 'api.openai.com',
    paths: { completions: '/v1/chat/completions', responses: '/v1/responses', embeddings: '/v1/embeddings' },
  },
  {
    name: 'vendor1 with a prefix',
    provider: { vendor1: {}, pathPrefix: '/p' },
    host: 'api.openai.com',
    paths: { completions: '/p/chat/completions', responses: '/p/responses', embeddings: '/p/embeddings' },
  },
  {
    name: 'vendor2, v1',
    provider: { vendor2: { endpoint: 'https://mine.example/' } },
    host: 'mine.example',
    paths: { completions: '/openai/v1/chat/completions', responses: '/openai/v1/responses' },
  },
  {
    name: 'vendor2 with a deployment and a dated version',
    provider: { vendor2: { endpoint: 'mine.example', deploymentName: 'dep', apiVersion: '2024-10-21' } },
    host: 'mine.example',
    paths: {
      completions: '/openai/deployments/dep/chat/completions?api-version=2024-10-21',
      embeddings: '/openai/deployments/dep/embeddings?api-version=2024-10-21',
      responses: '/openai/responses?api-version=2024-10-21',
    },
  },
  {
    // PROV-021, PROV-022
    name: 'vendor3, ResourceTypeA',
    provider: { vendor3: typeA },
    host: 'my-resource.openai.azure.com',
    paths: { completions: '/openai/v1/chat/completions', embeddings: '/openai/v1/embeddings' },
  },
  {
    name: 'vendor3, ResourceTypeA, preview',
    provider: { vendor3: { ...typeA, apiVersion: 'preview' } },
    host: 'my-resource.openai.azure.com',
    paths: { completions: '/openai/v1/chat/completions?api-version=preview' },
  },
  {
    name: 'vendor3, ResourceTypeA, dated',
    provider: { vendor3: { ...typeA, apiVersion: '2024-10-21' } },
    host: 'my-resource.openai.azure.com',
    paths: { completions: '/openai/deployments/m-1/chat/completions?api-version=2024-10-21' },
  },
  {
    // PROV-024
    name: 'vendor3, ResourceTypeB',
    provider: { vendor3: typeB },
    host: 'my-resource.services.ai.azure.com',
    paths: { completions: '/api/projects/proj/openai/v1/chat/completions' },
  },
  {
    name: 'vendor3, ResourceTypeB, a model of vendor4',
    provider: { vendor3: typeB },
    model: 'claude-sonnet-4',
    host: 'my-resource.services.ai.azure.com',
    paths: { messages: '/anthropic/v1/messages' },
  },
  {
    name: 'vendor4',
    provider: { vendor4: {} },
    host: 'api.anthropic.com',
    paths: { messages: '/v1/messages' },
  },
  {
    name: 'vendor5',
    provider: { vendor5: {} },
    host: 'generativelanguage.googleapis.com',
    paths: {
      'generate-content': '/v1beta/models/m-1:generateContent',
      completions: '/v1beta/openai/chat/completions',
      embeddings: '/v1beta/openai/embeddings',
    },
  },
  {
    name: 'vendor6 without a region',
    provider: { vendor6: { projectId: 'p' } },
    host: 'aiplatform.googleapis.com',
    paths: { completions: '/v1/projects/p/locations/global/endpoints/openapi/chat/completions' },
  },
  {
    name: 'vendor6 in a region',
    provider: { vendor6: { projectId: 'p', region: 'us-east5' } },
    model: 'claude-sonnet-4-20250514',
    host: 'us-east5-aiplatform.googleapis.com',
    paths: {
      messages: '/v1/projects/p/locations/us-east5/publishers/anthropic/models/claude-sonnet-4%4020250514:rawPredict',
    },
  },
  {
    name: 'vendor6, counts, vectors and ranks',
    provider: { vendor6: { projectId: 'p' } },
    model: 'claude-x',
    host: 'aiplatform.googleapis.com',
    paths: {
      'token-count': '/v1/projects/p/locations/global/publishers/anthropic/models/count-tokens:rawPredict',
      predict: '/v1/projects/p/locations/global/publishers/google/models/claude-x:predict',
      rank: '/v1/projects/p/locations/global/rankingConfigs/default_ranking_config:rank',
    },
  },
  {
    name: 'vendor6, a model of vendor5',
    provider: { vendor6: { projectId: 'p' } },
    model: 'google/gemini-2.5-pro',
    host: 'aiplatform.googleapis.com',
    paths: {
      'generate-content': '/v1/projects/p/locations/global/publishers/google/models/gemini-2.5-pro:generateContent',
    },
  },
  {
    name: 'vendor6 in several regions',
    provider: { vendor6: { projectId: 'p', region: 'eu' } },
    host: 'aiplatform.eu.rep.googleapis.com',
    paths: { completions: '/v1/projects/p/locations/eu/endpoints/openapi/chat/completions' },
  },
  // PROV-028, PROV-029
  {
    name: 'vendor7',
    provider: { vendor7: {} },
    host: 'bedrock-runtime.us-east-1.amazonaws.com',
    paths: { converse: '/model/m-1/converse', invoke: '/model/m-1/invoke' },
  },
  {
    name: 'vendor7 in a region',
    provider: { vendor7: { region: 'eu-west-3' } },
    host: 'bedrock-runtime.eu-west-3.amazonaws.com',
    model: 'us.anthropic.claude-3:0',
    paths: { converse: '/model/us.anthropic.claude-3%3A0/converse' },
  },
];

describe('the destination of a provider', () => {
  test.each(ROWS)('$name: host, TLS, formats and their paths', ({ provider, host, paths, model = 'm-1' }) => {
    const destination = destinationOf(backend(provider));
    const endpoint: Endpoint = { kind: 'tcp', host, port: 443 };
    expect(destination.backend.endpoints).toEqual([endpoint]);
    expect(destination.backend.policies.tls).toEqual({});
    const formats = destination.provider.formats(model);
    expect(Object.fromEntries(formats.map((format) => [format, pathOf(destination, format, model)]))).toMatchObject(
      paths,
    );
    expect(formats).toEqual(expect.arrayContaining(Object.keys(paths)));
  });

  test('ranks of vendor6 have a host of their own, unless the operator names one', () => {
    const own = destinationOf(backend({ vendor6: { projectId: 'p' } }));
    expect(backendFor(own, 'rank').endpoints).toEqual([
      { kind: 'tcp', host: 'discoveryengine.googleapis.com', port: 443 },
    ]);
    expect(backendFor(own, 'predict')).toBe(own.backend);
    const named = destinationOf(backend({ vendor6: { projectId: 'p' }, host: 'mine.example' }));
    expect(backendFor(named, 'rank')).toBe(named.backend);
  });

  test('a stream of a model of vendor4 on vendor6 has a path of its own', () => {
    const destination = destinationOf(backend({ vendor6: { projectId: 'p' } }));
    const call = { format: 'messages', model: 'anthropic/claude-x', streaming: true } as const;
    expect(targetOf(destination, call, '/')).toBe(
      '/v1/projects/p/locations/global/publishers/anthropic/models/claude-x:streamRawPredict',
    );
  });

  test('host and port of the operator replace those of the provider, without TLS of their own', () => {
    const { backend: reached } = destinationOf(backend({ vendor4: {}, host: 'mine.example', port: 8080 }));
    expect(reached.endpoints).toEqual([{ kind: 'tcp', host: 'mine.example', port: 8080 }]);
    expect(reached.policies.tls).toBeUndefined();
  });

  test('a port alone leaves host and TLS', () => {
    const { backend: reached } = destinationOf(backend({ vendor4: {}, port: 8443 }));
    expect(reached.endpoints).toEqual([{ kind: 'tcp', host: 'api.anthropic.com', port: 8443 }]);
    expect(reached.policies.tls).toEqual({});
  });

  test('TLS settings of a policy stay as they are', () => {
    const tls = { sni: 'other.example' };
    const { backend: reached } = destinationOf(backend({ vendor1: {} }, { policies: { tls, sources: {} } }));
    expect(reached.policies.tls).toBe(tls);
  });

  test('a custom provider behind a Service is that Service', () => {
    const endpoints: readonly Endpoint[] = [{ kind: 'tcp', host: '10.0.0.1', port: 80 }];
    const custom = { backendRef: { name: 'svc', port: 80 }, formats: [{ type: 'Messages', path: '/m' } as const] };
    const destination = destinationOf(backend({ custom }, { endpoints }));
    expect(destination.backend.endpoints).toBe(endpoints);
    expect(destination.backend.policies.tls).toBeUndefined();
    expect(pathOf(destination, 'messages')).toBe('/m');
  });

  test('path replaces path and query, pathPrefix replaces /v1 of what is passed through', () => {
    const whole = destinationOf(backend({ vendor1: {}, path: '/all?of=it' }));
    expect(targetOf(whole, { format: 'completions', model: 'm', streaming: false }, '/x?y=z')).toBe('/all?of=it');
    const prefixed = destinationOf(backend({ vendor1: {}, pathPrefix: '/p' }));
    expect(untouchedTarget(prefixed, '/v1/files?a=1')).toBe('/p/files?a=1');
    expect(untouchedTarget(prefixed, '/v10/files')).toBe('/p/v10/files');
    expect(untouchedTarget(destinationOf(backend({ vendor1: {} })), '/v1/files')).toBe('/v1/files');
  });

  test('the query of the client joins the one of the provider', () => {
    const destination = destinationOf(backend({ vendor3: { ...typeA, apiVersion: 'preview' } }));
    expect(targetOf(destination, { format: 'completions', model: 'm', streaming: false }, '/?a=1')).toBe(
      '/openai/v1/chat/completions?api-version=preview&a=1',
    );
  });
});

describe('the credential of a provider', () => {
  const bearer = HeaderMap.of([
    ['Authorization', 'Bearer sk-1'],
    ['Origin', 'https://a.example'],
    ['Sec-Fetch-Mode', 'cors'],
  ]);
  test('vendor4 takes a key as x-api-key, and nothing of a browser', () => {
    expect(edit({ vendor4: {} }, bearer)).toEqual({ 'x-api-key': 'sk-1', 'anthropic-version': '2023-06-01' });
  });

  test('vendor4 takes the token of a user where it stands', () => {
    const headers = HeaderMap.of([
      ['authorization', 'Bearer sk-ant-oat-1'],
      ['x-api-key', 'old'],
    ]);
    expect(edit({ vendor4: {} }, headers)).toEqual({
      authorization: 'Bearer sk-ant-oat-1',
      'anthropic-version': '2023-06-01',
    });
  });

  test('vendor4 leaves what the operator placed', () => {
    const headers = HeaderMap.of([['authorization', 'Bearer sk-1']]);
    expect(edit({ vendor4: {} }, headers, true)).toMatchObject({ authorization: 'Bearer sk-1' });
  });

  test('a model of vendor4 on vendor3 is told the version of its API', () => {
    expect(edit({ vendor3: typeB }, HeaderMap.EMPTY, false, 'Claude-x')).toEqual({ 'anthropic-version': '2023-06-01' });
    expect(edit({ vendor3: typeB }, HeaderMap.EMPTY, false, 'gpt-x')).toEqual({});
  });

  test.each([{ vendor1: {} }, { vendor6: { projectId: 'p' } }])('%j leaves the fields as they are', (provider) => {
    expect(destinationOf(backend(provider)).provider.headers).toBeUndefined();
  });

  test('vendor5 takes an API key in a field of its own for its native form, and tokens where they stand', () => {
    const { headers } = destinationOf(backend({ vendor5: {} })).provider;
    const call = { format: 'generate-content', model: 'm', placed: false } as const;
    const key = HeaderMap.of([['authorization', 'Bearer AIza-1']]);
    const token = HeaderMap.of([['authorization', 'Bearer ya29-1']]);
    expect(headers?.(key, call).view()).toEqual({ 'x-goog-api-key': 'AIza-1' });
    expect(headers?.(token, call)).toBe(token);
    expect(headers?.(key, { ...call, placed: true })).toBe(key);
    expect(headers?.(key, { ...call, format: 'completions' })).toBe(key);
  });

  test('vendor6 takes the model of vendor4 from the path, with a version of its own and no scope of cache marks', () => {
    const { body } = destinationOf(backend({ vendor6: { projectId: 'p' } })).provider;
    const call = { format: 'messages', model: 'claude-x', streaming: false } as const;
    const request = {
      model: 'claude-x',
      output_format: {},
      system: [{ type: 'text', text: 'a', cache_control: { type: 'ephemeral', scope: 'global' } }],
      tools: [{ input_schema: { properties: { scope: { type: 'string' } } } }],
    };
    expect(body?.(request, call, HeaderMap.EMPTY)).toEqual({
      anthropic_version: 'vertex-2023-10-16',
      system: [{ type: 'text', text: 'a', cache_control: { type: 'ephemeral' } }],
      tools: [{ input_schema: { properties: { scope: { type: 'string' } } } }],
    });
    expect(body?.(request, { ...call, format: 'completions' }, HeaderMap.EMPTY)).toBe(request);
  });
});

function pathOf(destination: ReturnType<typeof destinationOf>, format: UpstreamFormatName, model = 'm-1'): string {
  return targetOf(destination, { format, model, streaming: false }, '/');
}

function edit(provider: LLMProvider, headers: HeaderMap, placed = false, model = 'm'): object | undefined {
  return destinationOf(backend(provider)).provider.headers?.(headers, { format: undefined, model, placed }).view();
}
