import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import {
  type DataPlane,
  policy,
  simpleSetup,
  startDataPlane,
  startUpstream,
  type Upstream,
} from '../../../support/data-plane.ts';

/*
 * What the clauses leave open, so that no case gates it: the form of the failures, which requests are for models at all,
 * what a trace says of them.
 */

let upstream: Upstream;
let plane: DataPlane;

beforeAll(async () => {
  upstream = await startUpstream((_, response) => response.end('{"choices":[]}'));
  plane = await startDataPlane(setup);
});

afterAll(async () => {
  await plane[Symbol.asyncDispose]();
  await upstream[Symbol.asyncDispose]();
});

function model(name: string, spec: object): object {
  const metadata = { name, creationTimestamp: '2026-01-02T03:04:05Z' };
  return {
    apiVersion: 'proxy.example/v1alpha1',
    kind: 'ProxyModel',
    metadata,
    spec: { parentRefs: [{ name: 'gw' }], ...spec },
  };
}

function behind(name: string): object {
  return { targets: [{ modelRef: { name } }] };
}

function setup(port: number): readonly object[] {
  const provider = { provider: 'Vendor1', baseURL: `http://127.0.0.1:${upstream.port}/v1` };
  const nobody = { authorization: { policy: { matchExpressions: ['false'] } } };
  return [
    ...simpleSetup(port, upstream.port),
    policy('Gateway', { frontend: { http: { maxBufferSize: '2Ki' } } }),
    model('open', provider),
    model('hidden', { ...provider, visibility: 'Internal' }),
    model('closed', { ...provider, match: { model: 'closed-*' }, policies: nobody }),
    model('wild', { ...provider, match: { model: 'wild-*' } }),
    model('none-fits', { virtualModel: { conditional: { targets: [{ modelRef: { name: 'open' }, when: 'false' }] } } }),
    model('to-nowhere', { virtualModel: { weighted: behind('missing') } }),
    model('to-virtual', { virtualModel: { weighted: behind('none-fits') } }),
    model('to-wild', { virtualModel: { weighted: behind('wild') } }),
    model('fail-nowhere', {
      virtualModel: { failover: { targets: [{ modelRef: { name: 'missing' }, priority: 1 }] } },
    }),
    model('to-closed', {
      virtualModel: { failover: { targets: [{ modelRef: { name: 'closed' }, model: 'closed-1', priority: 1 }] } },
    }),
  ];
}

function post(
  path: string,
  body: string | Uint8Array<ArrayBuffer>,
  headers: Record<string, string> = {},
): Promise<Response> {
  const contentType = { 'content-type': 'application/json' };
  return fetch(`http://127.0.0.1:${plane.port}${path}`, {
    method: 'POST',
    body,
    headers: { ...contentType, ...headers },
  });
}

const asking = (name: string): string => JSON.stringify({ model: name, messages: [{ role: 'user', content: 'hi' }] });

describe('a request that no model serves', () => {
  test.each([
    ['an unknown name', asking('unknown'), 404, 'model_not_found'],
    ['an internal model', asking('hidden'), 404, 'model_not_found'],
    ['a model whose rules refuse', asking('closed-1'), 403, 'model_authorization_denied'],
    ['no JSON', 'model=open', 400, 'invalid_request_body'],
    ['a list', '[]', 400, 'invalid_request_body'],
    ['no model', '{}', 400, 'missing_model'],
    ['a number', '{"model":1}', 400, 'missing_model'],
    ['a body over the limit', asking('x'.repeat(3000)), 413, 'request_body_too_large'],
    ['a target that is not there', asking('to-nowhere'), 404, 'virtual_model_target_not_found'],
    ['a target that is virtual', asking('to-virtual'), 404, 'virtual_model_target_not_found'],
    ['a target nobody can be asked for', asking('to-wild'), 404, 'virtual_model_not_resolved'],
    ['failover to nowhere', asking('fail-nowhere'), 404, 'virtual_model_not_resolved'],
    ['failover to models that refuse', asking('to-closed'), 403, 'model_authorization_denied'],
    ['no condition that holds', asking('none-fits'), 400, 'virtual_model_no_matching_target'],
  ])('%s', async (_, body, status, code) => {
    const response = await post('/v1/chat/completions', body);
    expect(response.status).toBe(status);
    expect(response.headers.get('content-type')).toBe('application/json');
    expect(await response.json()).toEqual({
      error: { message: expect.any(String) as unknown, type: 'invalid_request_error', code },
    });
  });

  test('a body that cannot be decoded', async () => {
    const response = await post('/v1/chat/completions', asking('open'), { 'content-encoding': 'gzip' });
    expect([response.status, (await response.text()).includes('invalid_request_body')]).toEqual([400, true]);
  });
});

describe('which requests are for models', () => {
  test('a path of models is for no route, any other is', async () => {
    const before = upstream.received.length;
    expect((await post('/v1/chat/completions', asking('unknown'))).status).toBe(404);
    expect((await post('/elsewhere', asking('unknown'))).status).toBe(200);
    expect(upstream.received.slice(before).map(({ url }) => url)).toEqual(['/elsewhere']);
  });

  test('without models every path is for routes', async () => {
    await plane.configure(simpleSetup(plane.port, upstream.port));
    expect((await post('/v1/chat/completions', asking('unknown'))).status).toBe(200);
    await plane.configure(setup(plane.port));
  });

  test('a request that needs no edit keeps every byte', async () => {
    const body = '{ "model":"open",\n "messages":[{"role":"user","content":"\\u00fc"}], "x": 1e2 }';
    expect((await post('/v1/chat/completions', body)).status).toBe(200);
    expect(upstream.received.at(-1)).toMatchObject({ url: '/v1/chat/completions', body });
  });

  test.each([
    '{"model":"closed-1","messages":[{"role":"user","content":"hi"}],"m\\u006fdel":"open"}',
    '{"model":"open","messages":[{"role":"user","content":"hi","content":"ho"}]}',
  ])('a request that can be read in two ways is refused: %s', async (body) => {
    const before = upstream.received.length;
    expect((await post('/v1/chat/completions', body)).status).toBe(400);
    expect((await post('/v1/images/generations', body)).status).toBe(400);
    expect(upstream.received.length).toBe(before);
  });

  test('a form names its model in a field', async () => {
    const form = new FormData();
    form.set('image', new Blob(['model']), 'model');
    form.set('model', 'open');
    const response = await fetch(`http://127.0.0.1:${plane.port}/v1/images/edits`, { method: 'POST', body: form });
    expect(response.status).toBe(200);
    expect(upstream.received.at(-1)?.url).toBe('/v1/images/edits');
  });
});

function entry(id: string): object {
  return { id, object: 'model', created: 1_767_323_045, owned_by: 'openai' };
}

test('a model that computes a field keeps what the Gateway says about AI backends otherwise', async () => {
  const ai = {
    overrides: [{ field: 'user', value: 'gateway' }],
    transformations: [{ field: 'seed', expression: '1' }],
  };
  const policies = { transformations: [{ field: 'n', expression: '2' }] };
  const computing = model('computing', {
    provider: 'Vendor1',
    baseURL: `http://127.0.0.1:${upstream.port}/v1`,
    policies,
  });
  await plane.configure([...setup(plane.port), computing, policy('Gateway', { backend: { ai } }, 'ai')]);
  expect((await post('/v1/chat/completions', asking('computing'))).status).toBe(200);
  expect(JSON.parse(upstream.received.at(-1)?.body ?? '')).toMatchObject({ user: 'gateway', n: 2 });
  expect(upstream.received.at(-1)?.body).not.toContain('seed');
  await plane.configure(setup(plane.port));
});

test('the list of models has what clients may ask for, virtual ones last', async () => {
  const response = await fetch(`http://127.0.0.1:${plane.port}/v1/models`);
  const virtual = ['fail-nowhere', 'none-fits', 'to-closed', 'to-nowhere', 'to-virtual', 'to-wild'];
  expect(await response.json()).toEqual({ data: ['open', 'wild-*', ...virtual].map(entry), object: 'list' });
});

test('a trace names the way to the models, and the model as backend', async () => {
  const tracing = plane.trace();
  await post('/v1/chat/completions', asking('open'));
  const messages = (await tracing).map(({ message }) => message);
  expect(messages).toContainEqual({
    type: 'routeSelection',
    selectedRoute: 'default/gw.models',
    evaluatedRoutes: ['default/gw.models', 'default/r.0'],
  });
  expect(messages).toContainEqual(
    expect.objectContaining({
      type: 'requestSnapshot',
      stage: 'final request',
      requestState: expect.objectContaining({
        backend: { name: 'default/open', type: 'ai', protocol: 'ai' },
        proxy: expect.objectContaining({
          route: { kind: 'ProxyModel', namespace: 'default', name: 'open' },
        }) as unknown,
      }) as unknown,
    }),
  );
});
