import type { HeaderMap } from '../../../base/headers.ts';
import type { LLMProvider } from '../../../resources/proxy-backend/variants/llm-provider.ts';
import type { CredentialCall, Provider } from './provider.ts';
import { SUFFIXES } from './suffixes.ts';

/** PROV-041: provider 4 speaks Messages; `pathPrefix` replaces `/v1`. */
export function vendor4({ model }: NonNullable<LLMProvider['vendor4']>, pathPrefix = '/v1'): Provider {
  return {
    name: 'anthropic',
    host: 'api.anthropic.com',
    model,
    base: pathPrefix,
    formats: () => ['messages', 'token-count'],
    path: ({ format }) => `${pathPrefix}${SUFFIXES[format]}`,
    headers: (headers, call) =>
      withKey(headers.remove(...fromBrowsers(headers)), call).set('anthropic-version', VERSION),
  };
}

const VERSION = '2023-06-01';

/** Fields by which the provider would take the proxy for a browser. */
function fromBrowsers(headers: HeaderMap): readonly string[] {
  const fetched = Object.keys(headers.view()).filter((name) => name.startsWith('sec-fetch-'));
  return ['origin', 'access-control-request-method', 'access-control-request-headers', ...fetched];
}

/** The API key has a field of its own; tokens of users, and what the operator placed, stay where they are. */
function withKey(headers: HeaderMap, { placed }: CredentialCall): HeaderMap {
  const token = /^bearer (.+)$/i.exec(headers.get('authorization') ?? '')?.[1];
  if (token === undefined) return headers;
  if (placed || token.startsWith('sk-ant-oat')) return headers.remove('x-api-key');
  return headers.remove('authorization').set('x-api-key', token);
}
