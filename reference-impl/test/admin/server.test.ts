import { request as httpRequest, type IncomingMessage } from 'node:http';
import request from 'supertest';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { followObjects } from '../../admin/resource-api/known-objects.ts';
import { createAdminServer, type AdminServer } from '../../admin/server.ts';
import { buildView } from '../../attachment/view.ts';
import { rfc3339 } from '../../base/clock.ts';
import { createWatchers, type Watchers } from '../../trace/watchers.ts';
import { manualClock, type ManualClock } from '../trace/manual-clock.ts';
import { gateway, snapshotWith } from '../trace/views.ts';

const snapshot = snapshotWith(gateway('default', 'gw', 3000, 'a.test'), {
  apiVersion: 'v1',
  kind: 'Secret',
  metadata: { namespace: 'default', name: 'keys', annotations: { note: 'hidden-annotation' } },
  stringData: { token: 'hidden-value' },
});
const view = buildView(snapshot);

let admin: AdminServer;
let clock: ManualClock;
let watchers: Watchers;
let pending: string[];
let logged: string[];

beforeEach(() => {
  clock = manualClock();
  watchers = createWatchers({ clock, view: () => view });
  pending = [];
  logged = [];
  admin = createAdminServer({
    view: () => view,
    snapshot: () => snapshot,
    watchers,
    clock,
    log: (message) => logged.push(message),
    pending: () => pending,
  });
});

afterEach(() => admin.close());

describe('table of endpoints', () => {
  test.each([
    ['GET', '/nothing', 404, undefined],
    ['GET', '/constructor', 404, undefined],
    ['GET', '/debug/trace', 405, 'POST'],
    ['DELETE', '/debug/trace', 405, 'POST'],
    ['POST', '/config_dump', 405, 'GET'],
    ['POST', '/ui', 405, 'GET'],
    ['HEAD', '/config_dump', 200, undefined],
    ['HEAD', '/debug/trace', 405, 'POST'],
  ])('%s %s is %d', async (method, path, status, allow) => {
    await admin.listen(0);
    const response = await call(method, path);
    response.resume();
    expect(response.statusCode).toBe(status);
    expect(response.headers.allow).toBe(allow);
  });

  test.each([
    [{ host: 'evil.test' }, 403],
    [{ host: 'localhost.evil.test:15000' }, 403],
    [{ host: 'localhost:1' }, 200],
    [{ host: '127.0.0.1' }, 200],
    [{ host: '[::1]:15000' }, 200],
    [{ host: 'localhost', origin: 'http://evil.test' }, 403],
    [{ host: 'localhost', origin: 'null' }, 403],
    [{ host: 'localhost:15000', origin: 'http://localhost:15000' }, 200],
    [{ host: 'LOCALHOST:15000', origin: 'http://localhost:15000' }, 200],
    [{ host: '[::1]:15000', origin: 'http://[::1]:15000' }, 200],
    [{ host: 'localhost', origin: 'http://localhost' }, 200],
    // A page of another port of this machine, which the proxy itself may serve.
    [{ host: 'localhost:15000', origin: 'http://localhost:3000' }, 403],
    [{ host: 'localhost:15000', origin: 'http://localhost' }, 403],
    [{ host: 'localhost:15000', origin: 'http://127.0.0.1:15000' }, 403],
    [{ host: 'localhost:15000', origin: '' }, 403],
  ])('headers %j: %d', async (headers, status) => {
    await request(admin.http).get('/healthz/ready').set(headers).expect(status);
  });

  test('readiness as API servers tell it', async () => {
    expect((await request(admin.http).get('/readyz').expect(200)).text).toBe('ok\n');
    pending = ['configuration'];
    expect((await request(admin.http).get('/readyz').expect(500)).text).toContain('pending: configuration');
  });

  test('listens on loopback only, and says when the port is taken', async () => {
    const port = await admin.listen(0);
    expect(admin.http.address()).toMatchObject({ address: '127.0.0.1', port });
    const second = createAdminServer({ view: () => view, snapshot: () => snapshot, watchers, clock, log: () => {} });
    await expect(second.listen(port)).rejects.toMatchObject({ code: 'EADDRINUSE' });
    await second.close();
  });

  test('a failing endpoint answers 500 and is logged', async () => {
    const broken = createAdminServer({
      view: () => {
        throw new Error('no view');
      },
      snapshot: () => snapshot,
      watchers,
      clock,
      log: (message) => logged.push(message),
    });
    await request(broken.http).get('/config_dump').expect(500, 'internal error\n');
    expect(logged).toEqual(['admin request failed']);
  });
});

describe('documents', () => {
  test('/healthz/ready names what is missing', async () => {
    await request(admin.http).get('/healthz/ready').expect(200, 'ready\n');
    pending = ['configuration', 'port 3000'];
    await request(admin.http).get('/healthz/ready').expect(500, 'not ready, pending: configuration, port 3000\n');
  });

  test('/config_dump shows listeners and resources, and no secret', async () => {
    const { text } = await request(admin.http).get('/config_dump').expect('content-type', 'application/json');
    expect(JSON.parse(text)).toMatchObject({
      generation: 1,
      binds: [
        { port: 3000, listeners: [{ gateway: { namespace: 'default', name: 'gw' }, name: 'l0', hostname: 'a.test' }] },
      ],
      resources: { Gateway: [{ metadata: { name: 'gw' } }], Secret: [{ metadata: { name: 'keys' }, keys: ['token'] }] },
    });
    expect(text).not.toMatch(/hidden/);
    expect(text).not.toContain(Buffer.from('hidden-value').toString('base64'));
  });

  test('/config_dump tells of merged policies where each field comes from, and no literal credential', async () => {
    const set = [{ name: 'x-api-key', value: 'hidden-literal' }];
    const filters = [{ type: 'RequestHeaderModifier', requestHeaderModifier: { set } }];
    const shop = snapshotWith(
      gateway('default', 'gw', 3000, 'a.test'),
      {
        apiVersion: 'gateway.networking.k8s.io/v1',
        kind: 'HTTPRoute',
        metadata: { namespace: 'default', name: 'shop' },
        spec: {
          parentRefs: [{ name: 'gw' }],
          rules: [{ name: 'all', filters, backendRefs: [{ name: 'gone', port: 80 }] }],
        },
      },
      {
        apiVersion: 'proxy.example/v1alpha1',
        kind: 'ProxyPolicy',
        metadata: { namespace: 'default', name: 'slow' },
        spec: {
          targetRefs: [{ group: 'gateway.networking.k8s.io', kind: 'Gateway', name: 'gw' }],
          traffic: { timeouts: { request: '9s' } },
        },
      },
    );
    const of = createAdminServer({ view: () => buildView(shop), snapshot: () => shop, watchers, clock, log: () => {} });
    const { text } = await request(of.http).get('/config_dump').expect(200);
    expect(JSON.parse(text)).toMatchObject({
      binds: [
        {
          listeners: [
            {
              rules: [
                {
                  key: 'default/shop.0',
                  route: { kind: 'HTTPRoute', namespace: 'default', name: 'shop', rule: 'all' },
                  postRouting: { timeouts: { request: '9s' } },
                  sources: {
                    timeouts: [{ kind: 'ProxyPolicy', namespace: 'default', name: 'slow', level: 'gateway' }],
                    headerModifiers: [{ kind: 'HTTPRoute', namespace: 'default', name: 'shop', level: 'inline' }],
                  },
                  backends: [{ ref: { kind: 'Service', name: 'gone', port: 80 }, unresolved: 'serviceNotFound' }],
                },
              ],
            },
          ],
        },
      ],
    });
    expect(text).not.toContain('hidden-literal');
    await of.close();
  });

  test.each(['/config_dump', '/status'])(
    '%s is not written again for who has it, in this process only',
    async (path) => {
      const { headers, text } = await request(admin.http).get(path).expect(200);
      const tag = headers['etag'] ?? '';
      expect((await request(admin.http).get(path).set('if-none-match', tag).expect(304)).text).toBe('');
      const other = createAdminServer({ view: () => view, snapshot: () => snapshot, watchers, clock, log: () => {} });
      expect((await request(other.http).get(path).set('if-none-match', tag).expect(200)).text).toBe(text);
      await other.close();
    },
  );

  test('/status lists conditions', async () => {
    const { text } = await request(admin.http).get('/status').expect(200);
    expect(JSON.parse(text)).toMatchObject({
      generation: 1,
      resources: [{ kind: 'Gateway', namespace: 'default', name: 'gw' }],
    });
  });

  test('/status tells since when conditions hold, as the resource API does', async () => {
    const objects = followObjects({ view: () => view, snapshot: () => snapshot, onChange: () => undefined, clock });
    const dated = createAdminServer({
      view: () => view,
      snapshot: () => snapshot,
      watchers,
      clock,
      log: () => undefined,
      objects,
    });
    const { text } = await request(dated.http).get('/status').expect(200);
    const since = { lastTransitionTime: rfc3339(clock.wall()) };
    expect(JSON.parse(text)).toMatchObject({
      resources: [{ kind: 'Gateway', status: { conditions: [{ type: 'Accepted', ...since }, { ...since }] } }],
    });
    await dated.close();
  });

  test.each([
    ['/ui', 'text/html'],
    ['/ui/', 'text/html'],
    ['/ui/ui.js', 'text/javascript'],
    ['/ui/ui.css', 'text/css'],
  ])('%s is served as %s and needs no other host (TRACE-062)', async (path, type) => {
    const { headers, text } = await request(admin.http).get(path).expect(200);
    expect(headers['content-type']).toContain(type);
    expect(headers['content-security-policy']).toContain("default-src 'none'");
    // Names of XML namespaces are no places.
    expect(text).not.toMatch(/https?:\/\/(?!www\.w3\.org\/(?:1998|1999|2000)\/)/);
    expect(text).not.toMatch(/ style=| onclick=|<script>|<style>/);
  });
});

describe('/debug/trace', () => {
  test.each([
    ['expression=', 'invalid expression: '],
    ['expression=request.path%20%3D%3D', 'invalid expression: '],
    ['gateway=a/b/c', 'invalid gateway: '],
    ['source-port=0', 'invalid source-port: '],
    ['source-port=x', 'invalid source-port: '],
  ])('?%s is refused and nobody waits', async (query, message) => {
    const { text } = await request(admin.http).post(`/debug/trace?${query}`).expect(400);
    expect(text.startsWith(message)).toBe(true);
    expect(watchers.waiting()).toBe(false);
  });

  test('is armed with the first bytes, sends one item per event, then ends (TRACE-002, TRACE-013, TRACE-058)', async () => {
    await admin.listen(0);
    const response = await call('POST', '/debug/trace?unknown=ignored');
    expect(response.headers).toMatchObject({ 'content-type': 'text/event-stream', 'cache-control': 'no-cache' });
    const read = reader(response);
    expect(await read()).toBe(': ready\n\n');

    const recorder = arrive();
    recorder.emit({ type: 'requestStarted' });
    const item = '{"eventStart":null,"eventEnd":0,"severity":"info","message":{"type":"requestStarted"}}';
    expect(await read()).toBe(`data: ${item}\n\n`);
    recorder.emit({ type: 'requestFinished' });
    recorder.finish();
    expect(await read()).toContain('requestFinished');
    expect(await read()).toBeUndefined();
  });

  test('shows a sign of life every second while nothing happens', async () => {
    await admin.listen(0);
    const read = reader(await call('POST', '/debug/trace'));
    expect(await read()).toBe(': ready\n\n');
    for (let second = 0; second < 3; second += 1) {
      clock.advance(999);
      clock.advance(1);
      expect(await read()).toBe(': keepalive\n\n');
    }
  });

  test('a client that leaves stops waiting; one that leaves midway disturbs nobody', async () => {
    await admin.listen(0);
    const first = await call('POST', '/debug/trace');
    await reader(first)();
    first.destroy();
    await expect.poll(() => watchers.waiting()).toBe(false);

    const second = await call('POST', '/debug/trace');
    await reader(second)();
    const recorder = arrive();
    const closed = new Promise((resolve) => {
      admin.http.once('connection', resolve);
    });
    second.destroy();
    recorder.emit({ type: 'requestStarted' });
    const third = await call('GET', '/healthz/ready');
    await closed;
    third.resume();
    recorder.emit({ type: 'requestFinished' });
    recorder.finish();
    expect(third.statusCode).toBe(200);
    expect(logged).toEqual([]);
  });

  test('what a reader leaves lying beyond the budget is dropped, not kept', async () => {
    await admin.listen(0);
    const read = reader(await call('POST', '/debug/trace'));
    await read();
    const recorder = arrive();
    const body = 'x'.repeat(4 * 1024 * 1024);
    for (let part = 0; part < 20; part += 1) recorder.emit({ type: 'bodySnapshot', stage: 'response', body });
    recorder.finish();
    let received = 0;
    for (let text = await read(); text !== undefined; text = await read()) received += text.length;
    expect(received).toBeLessThan(30 * 1024 * 1024);
    expect(received).toBeGreaterThan(4 * 1024 * 1024);
    await expect.poll(() => logged).toEqual(['trace events dropped: the reader was too slow']);
  });
});

function arrive() {
  return watchers.recorderFor({ port: 3000, host: 'a.test', source: { port: 1 }, variables: () => undefined });
}

function call(method: string, path: string): Promise<IncomingMessage> {
  const address = admin.http.address();
  if (typeof address !== 'object' || address === null) throw new Error('not listening');
  return new Promise((resolve, reject) => {
    const outgoing = httpRequest({ host: '127.0.0.1', port: address.port, method, path, agent: false }, resolve);
    outgoing.once('error', reject);
    outgoing.end();
  });
}

/** Gives the text of the stream chunk by chunk, undefined at its end. */
function reader(response: IncomingMessage): () => Promise<string | undefined> {
  const iterator = response.iterator({ destroyOnReturn: false });
  return async () => {
    const next = await iterator.next();
    return next.done === true ? undefined : String(next.value);
  };
}
