import { describe, expect, test } from 'vitest';
import { modelProvider } from '../../../attachment/models/model-provider.ts';
import { HOSTED_PROVIDERS } from '../../../resources/proxy-model/hosted-providers.ts';
import { resource } from '../support/resources.ts';

function provider(spec: object, as?: string): ReturnType<typeof modelProvider> {
  return modelProvider(resource('ProxyModel', 'm', { spec: { parentRefs: [{ name: 'gw' }], ...spec } }), as);
}

describe('baseURL', () => {
  test.each([
    ['http://h.example/v1', { host: 'h.example', port: 80, pathPrefix: '/v1' }, false],
    ['https://h.example/v1', { host: 'h.example', port: 443, pathPrefix: '/v1' }, true],
    ['HTTPS://H.example:8443', { host: 'h.example', port: 8443 }, true],
    ['http://h.example/', { host: 'h.example', port: 80 }, false],
    ['http://h.example/a/b//', { host: 'h.example', port: 80, pathPrefix: '/a/b' }, false],
    ['http://[::1]:81/x', { host: '::1', port: 81, pathPrefix: '/x' }, false],
    ['http://127.0.0.1:443', { host: '127.0.0.1', port: 443 }, false],
  ])('%s', (baseURL, address, encrypted) => {
    const found = provider({ provider: 'Vendor1', baseURL });
    expect(found?.settings).toEqual({ vendor1: {}, ...address });
    expect(found?.encrypted).toBe(encrypted);
  });

  test('without it the address is that of the provider', () => {
    expect(provider({ provider: 'Vendor4' })).toEqual({ settings: { vendor4: {} } });
  });

  test('it is taken before the Service of a custom provider', () => {
    const custom = { backendRef: { name: 's', port: 80 }, formats: [{ type: 'Messages' }] };
    expect(provider({ provider: 'Custom', custom })?.settings).toEqual({ custom });
    expect(provider({ provider: 'Custom', custom, baseURL: 'http://h.example' })?.settings).toEqual({
      custom: { formats: [{ type: 'Messages' }] },
      host: 'h.example',
      port: 80,
    });
  });

  test('a custom provider without any address leads nowhere', () => {
    expect(provider({ provider: 'Custom', custom: { formats: [{ type: 'Messages' }] } })).toBeUndefined();
  });
});

describe('settings of a provider', () => {
  const vendor3 = { resourceName: 'r', resourceType: 'ResourceTypeA' };
  test.each([
    ['Vendor1', {}, { vendor1: {} }],
    ['Vendor3', { vendor3 }, { vendor3 }],
    ['Vendor5', {}, { vendor5: {} }],
    ['Vendor6', { vendor6: { projectId: 'p' } }, { vendor6: { projectId: 'p' } }],
    ['Vendor7', {}, { vendor7: {} }],
    ['Vendor7', { vendor7: { region: 'eu-west-1' } }, { vendor7: { region: 'eu-west-1' } }],
  ])('%s %o', (name, more, settings) => {
    expect(provider({ provider: name, ...more })?.settings).toEqual(settings);
  });

  test('the name that a target asks for becomes the model of the variant', () => {
    expect(provider({ provider: 'Vendor3', vendor3 }, 'gpt-4o')?.settings).toEqual({
      vendor3: { ...vendor3, model: 'gpt-4o' },
    });
  });
});

// MODEL-039: what cannot be called from here; the addresses and formats of the hosted providers.
describe('hosted providers', () => {
  test('there are thirteen, and all but one have an address under TLS', () => {
    const known = Object.entries(HOSTED_PROVIDERS).map(
      ([name, { baseURL }]) => [name, provider({ provider: name }), baseURL] as const,
    );
    expect(known).toHaveLength(13);
    for (const [name, found, baseURL] of known) {
      if (baseURL === undefined) expect(found).toBeUndefined();
      else
        expect(found, name).toMatchObject({
          settings: { host: new URL(baseURL).hostname, port: 443 },
          encrypted: true,
        });
    }
  });

  test('one without an address of its own has that of baseURL', () => {
    expect(provider({ provider: 'Provider9', baseURL: 'http://localhost:11434/v1' })).toMatchObject({
      settings: {
        host: 'localhost',
        port: 11434,
        pathPrefix: '/v1',
        custom: { formats: [{ type: 'Completions' }, { type: 'Responses' }, { type: 'Embeddings' }] },
      },
      encrypted: false,
      called: 'ollama',
    });
  });
});
