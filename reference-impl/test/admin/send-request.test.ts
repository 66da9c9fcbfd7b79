import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { createAdminServer, type AdminServer } from '../../admin/server.ts';
import { systemClock } from '../../base/clock.ts';
import { objectMember, stringMember } from '../../base/members.ts';
import { certificateSecret, hasOpenssl, makeCertificate } from '../support/certificates.ts';
import {
  policy,
  simpleSetup,
  startDataPlane,
  startUpstream,
  type DataPlane,
  type Upstream,
} from '../support/data-plane.ts';

let upstream: Upstream;
let plane: DataPlane;
let admin: AdminServer;
let origin: string;

beforeEach(async () => {
  upstream = await startUpstream((request, response) => {
    if (request.url === '/never') return;
    response.writeHead(201, { 'set-cookie': 'session=hidden-cookie', 'x-seen': 'yes' });
    response.end(request.url === '/large' ? 'x'.repeat(1_000_000) : 'hello');
  });
  plane = await startDataPlane((port) => simpleSetup(port, upstream.port));
  const { view, snapshot, watchers, ports } = plane;
  const data = { address: '127.0.0.1', ports };
  admin = createAdminServer({ view, snapshot, watchers, clock: systemClock, log: () => {}, data });
  origin = `http://127.0.0.1:${await admin.listen(0)}`;
});

afterEach(async () => {
  await Promise.all([admin.close(), plane[Symbol.asyncDispose](), upstream[Symbol.asyncDispose]()]);
});

function ask(asked: unknown, headers: Readonly<Record<string, string | undefined>> = {}): Promise<Response> {
  const given = { origin, 'x-refproxy-page': '1', 'content-type': 'application/json', ...headers };
  const kept = Object.entries(given).flatMap(([name, value]) => (value === undefined ? [] : [[name, value] as const]));
  const body = typeof asked === 'string' ? asked : JSON.stringify(asked);
  return fetch(`${origin}/ui/request`, { method: 'POST', headers: Object.fromEntries(kept), body });
}

interface Told {
  readonly event: string;
  readonly data: unknown;
}

/** The events of a stream that has ended, without the signs of life. */
async function told(answer: Response): Promise<readonly Told[]> {
  const items = (await answer.text()).split('\n\n').filter((item) => item.startsWith('event: '));
  return items.map((item) => {
    const [, event = '', data = ''] = /^event: (\w+)\ndata: (.*)$/s.exec(item) ?? [];
    const read: unknown = JSON.parse(data);
    return { event, data: read };
  });
}

const hello = (): Record<string, unknown> => ({
  port: plane.port,
  method: 'PUT',
  target: '/a?b=1',
  headers: [
    ['Host', 'shop.test'],
    ['X-One', '1'],
  ],
  body: 'grüße',
});

describe('a request that the page asks for', () => {
  test('reaches the upstream as it was asked for, and its trace and answer are told', async () => {
    const answer = await ask(hello());
    expect(answer.headers.get('content-type')).toBe('text/event-stream');
    const items = await told(answer);
    expect(upstream.received).toMatchObject([
      { method: 'PUT', url: '/a?b=1', body: Buffer.from('grüße').toString('latin1') },
    ]);
    expect(upstream.received[0]?.rawHeaders).toContain('shop.test');
    const trace = items.flatMap(({ event, data }) => (event === 'trace' ? [objectMember(data, 'message')] : []));
    expect(trace.map((message) => stringMember(message, 'type'))).toContain('routeSelection');
    expect(trace.at(-1)).toEqual({ type: 'requestFinished' });
    const { data } = items.find(({ event }) => event === 'answer') ?? { data: undefined };
    expect(data).toMatchObject({ status: 201, body: Buffer.from('hello').toString('base64'), cut: false });
    expect(objectMember(data, 'headers')).toEqual(
      expect.arrayContaining([
        ['x-seen', 'yes'],
        ['set-cookie', '<redacted>'],
      ]),
    );
    expect(JSON.stringify(items)).not.toContain('hidden-cookie');
  });

  test('is told by name which policy answered it, and who said so', async () => {
    const denied = policy('HTTPRoute', {
      traffic: { authorization: { action: 'Deny', policy: { matchExpressions: ['true'] } } },
    });
    await plane.configure([...simpleSetup(plane.port, upstream.port), denied]);
    const items = await told(await ask(hello()));
    const text = JSON.stringify(items);
    expect(text).toContain('"result":"deny"');
    expect(text).toContain(
      '"sources":{"authorization":[{"kind":"ProxyPolicy","namespace":"default","name":"httproute","level":"route"}]}',
    );
    expect(items.find(({ event }) => event === 'answer')?.data).toMatchObject({ status: 403 });
    expect(upstream.received).toEqual([]);
  });

  test.skipIf(!hasOpenssl)('speaks TLS to a listener that does, under the name of the host', async () => {
    const [gateway, ...others] = simpleSetup(plane.port, upstream.port, {
      gateway: {
        listeners: [
          {
            name: 'https',
            port: plane.port,
            hostname: 'shop.test',
            protocol: 'HTTPS',
            tls: { certificateRefs: [{ name: 'server' }] },
          },
        ],
      },
    });
    const secret = certificateSecret('server', makeCertificate('shop.test', { names: ['DNS:shop.test'] }));
    await plane.configure([secret, gateway ?? {}, ...others]);
    const items = await told(await ask(hello()));
    expect(items.find(({ event }) => event === 'answer')?.data).toMatchObject({ status: 201 });
    expect(JSON.stringify(items)).toContain('"scheme":"https"');
  });

  test('shows of a long answer the beginning, and cuts the rest off', async () => {
    const items = await told(await ask({ ...hello(), target: '/large' }));
    const { data } = items.find(({ event }) => event === 'answer') ?? { data: undefined };
    expect(data).toMatchObject({ cut: true });
    expect(Buffer.from(stringMember(data, 'body') ?? '', 'base64')).toHaveLength(256 * 1024);
  });

  test('leaves the next request to whoever waits for any', async () => {
    const any = plane.trace();
    await told(await ask(hello()));
    // Both wait for it; who came first gets it, and the page still gets its answer.
    expect((await any).at(-1)?.message.type).toBe('requestFinished');
  });
});

describe('no relay', () => {
  test.each([
    ['no origin', { origin: undefined }],
    ['another origin', { origin: 'http://127.0.0.1:1' }],
    ['a sandboxed page', { origin: 'null' }],
    ['a form of another page', { 'x-refproxy-page': undefined }],
    ['text that looks like JSON', { 'content-type': 'text/plain' }],
    ['a page of the same site', { 'sec-fetch-site': 'same-site' }],
  ])('%s is refused', async (_, headers) => {
    const answer = await ask(hello(), headers);
    expect([answer.status, upstream.received]).toEqual([403, []]);
  });

  test('whoever asks whether another origin may ask is told no', async () => {
    const headers = { origin: 'http://evil.test', 'access-control-request-headers': 'x-refproxy-page' };
    const { status, headers: answered } = await fetch(`${origin}/ui/request`, { method: 'OPTIONS', headers });
    expect([status, answered.get('access-control-allow-origin')]).toEqual([403, null]);
  });

  test.each([
    ['the upstream', () => upstream.port],
    ['the admin listener', () => Number(new URL(origin).port)],
    ['no port', () => 0],
  ])('%s cannot be asked, only open data ports', async (_, port) => {
    const answer = await ask({ ...hello(), port: port() });
    expect([answer.status, upstream.received]).toEqual([400, []]);
    expect(await answer.text()).toMatch(/^invalid request: port: /);
  });

  test('a port of the configuration that another program has is none of them', async () => {
    await plane.configure(simpleSetup(upstream.port, upstream.port));
    const answer = await ask({ ...hello(), port: upstream.port });
    expect([answer.status, upstream.received]).toEqual([400, []]);
  });

  test.each([
    ['no JSON', '{', ''],
    ['a member that is unknown', { host: 'evil.test' }, ''],
    ['two words as the method', { method: 'GET /' }, 'method: '],
    ['a tunnel', { method: 'CONNECT' }, 'method: '],
    ['a target with a space', { target: '/a b' }, 'target: '],
    ['a target with a line end', { target: '/a\r\nX: y' }, 'target: '],
    ['a long target', { target: `/${'a'.repeat(9000)}` }, 'target: '],
    ['a value with a line end', { headers: [['X', 'a\r\nY: b']] }, 'headers.0.1: '],
    ['a value that is no Latin-1', { headers: [['X', '€']] }, 'headers.0.1: '],
    ['a name with a colon', { headers: [['X:', 'a']] }, 'headers.0.0: '],
    ['a field that frames', { headers: [['Transfer-Encoding', 'chunked']] }, 'headers.0.0: '],
    ['many fields', { headers: Array.from({ length: 65 }, () => ['X', 'a']) }, 'headers: '],
  ])('%s is refused by its place', async (_, change, place) => {
    const answer = await ask(typeof change === 'string' ? change : { ...hello(), ...change });
    expect([answer.status, upstream.received]).toEqual([400, []]);
    expect(await answer.text()).toContain(`invalid request: ${place}`);
  });

  test('more than a megabyte is refused', async () => {
    const answer = await ask({ ...hello(), body: 'x'.repeat(1024 * 1024) });
    expect([answer.status, upstream.received]).toEqual([413, []]);
  });

  test('four may wait for their answers, a fifth is refused, and who leaves makes room', async () => {
    const four = await Promise.all(Array.from({ length: 4 }, () => ask({ ...hello(), target: '/never' })));
    expect(four.map(({ status }) => status)).toEqual([200, 200, 200, 200]);
    expect((await ask(hello())).status).toBe(429);
    for (const { body } of four) await body?.cancel();
    await expect.poll(async () => (await ask(hello())).status).toBe(200);
  });

  test('without data ports there is nothing to ask', async () => {
    await plane.configure([]);
    const answer = await ask(hello());
    expect([answer.status, await answer.text()]).toEqual([
      400,
      `invalid request: port: ${plane.port} is no open data port: none\n`,
    ]);
  });
});
