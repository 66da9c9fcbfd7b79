import { syncBuiltinESMExports } from 'node:module';
import { http, HttpResponse } from 'msw';
import { setupServer } from 'msw/node';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { createKubernetesClient } from '../../sut/kubernetes/client.ts';

const BASE = 'http://127.0.0.1:6443';
const GROUP = `${BASE}/apis/proxy.example/v1alpha1`;
const server = setupServer();
const client = createKubernetesClient({ url: new URL(BASE), headers: () => ({}), tls: {} });
const backend = {
  apiVersion: 'proxy.example/v1alpha1',
  kind: 'ProxyBackend',
  metadata: { name: 'b', namespace: 'n' },
  spec: {},
};
const collections = { resources: [{ name: 'proxybackends', kind: 'ProxyBackend', namespaced: true }] };

beforeAll(() => {
  server.listen();
  // The client imports `request` by name; named exports of built-in modules follow a patch only when told to.
  syncBuiltinESMExports();
});
afterEach(() => {
  server.resetHandlers();
});
afterAll(() => {
  server.close();
});

describe('the calls the suite makes of an API server', () => {
  test('a resource is applied under its own field manager, with force and strict validation', async () => {
    const seen: string[] = [];
    server.use(
      http.get(GROUP, () => HttpResponse.json(collections)),
      http.patch(`${GROUP}/namespaces/n/proxybackends/b`, ({ request }) => {
        seen.push(new URL(request.url).search, request.headers.get('content-type') ?? '');
        return HttpResponse.json(backend, { status: 201 });
      }),
    );
    expect(await client.apply(backend)).toMatchObject({ status: 201, body: { kind: 'ProxyBackend' } });
    expect(seen[0]).toContain('fieldManager=conform');
    expect(seen[0]).toContain('force=true');
    expect(seen[1]).toContain('apply-patch');
  });

  test('an answer that is no JSON is an answer all the same', async () => {
    server.use(http.get(`${BASE}/version`, () => new HttpResponse('gone', { status: 502 })));
    expect(await client.get('/version')).toEqual({ status: 502, body: undefined });
  });

  test('no more than sixteen calls are on their way, and what waits goes as soon as one is answered', async () => {
    let under = 0;
    let most = 0;
    const answers: (() => void)[] = [];
    server.use(
      http.get(GROUP, () => HttpResponse.json(collections)),
      http.patch(`${GROUP}/namespaces/n/proxybackends/:name`, async () => {
        under += 1;
        most = Math.max(most, under);
        await new Promise<void>((resolve) => answers.push(resolve));
        under -= 1;
        return HttpResponse.json(backend);
      }),
    );
    const named = Array.from({ length: 40 }, (_, at) => ({ ...backend, metadata: { name: `b${at}`, namespace: 'n' } }));
    const applied = Promise.all(named.map(async (one) => client.apply(one)));
    let answered = 0;
    while (answered < named.length) {
      await expect
        .poll(() => answers.length, { timeout: 10_000 })
        .toBeGreaterThanOrEqual(Math.min(16, named.length - answered));
      for (const answer of answers.splice(0)) {
        answered += 1;
        answer();
      }
    }
    expect((await applied).map(({ status }) => status)).toEqual(named.map(() => 200));
    expect(most).toBe(16);
  });
});
