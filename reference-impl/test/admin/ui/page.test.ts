import { existsSync } from 'node:fs';
import { chromium, type Browser, type Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { createAdminServer, type AdminServer } from '../../../admin/server.ts';
import { systemClock } from '../../../base/clock.ts';
import {
  get,
  policy,
  simpleSetup,
  startDataPlane,
  startUpstream,
  type DataPlane,
  type Upstream,
} from '../../support/data-plane.ts';

/** Debian's package `chromium`; nothing here needs a network. */
const CHROMIUM = ['/usr/bin/chromium', '/usr/bin/chromium-browser'].find((file) => existsSync(file));
if (CHROMIUM === undefined) console.log('not run: the page of the admin listener in a browser (no chromium)');

const MARKUP = '<img src=x onerror="document.title=1">';

describe.skipIf(CHROMIUM === undefined)('the page at /ui, in a browser', () => {
  let upstream: Upstream;
  let plane: DataPlane;
  let admin: AdminServer;
  let origin: string;
  let browser: Browser;
  let page: Page;
  const requests: string[] = [];
  const errors: string[] = [];

  /** Whoever has the key gets to the upstream; what the route sets is a credential. */
  const setup = (port: number): object[] => [
    ...simpleSetup(port, upstream.port),
    policy('HTTPRoute', {
      traffic: {
        authorization: { action: 'Require', policy: { matchExpressions: ['"x-key" in request.headers'] } },
        headerModifiers: {
          request: {
            set: [
              { name: 'authorization', value: 'hidden-literal' },
              { name: 'x-set', value: 'here' },
            ],
          },
        },
      },
    }),
  ];

  beforeAll(async () => {
    upstream = await startUpstream((_, response) => {
      response.writeHead(200, { 'set-cookie': 'hidden-cookie', 'x-markup': MARKUP });
      response.end(MARKUP);
    });
    plane = await startDataPlane(setup);
    const { view, snapshot, watchers, ports } = plane;
    const data = { address: '127.0.0.1', ports };
    admin = createAdminServer({ view, snapshot, watchers, clock: systemClock, log: () => {}, data });
    origin = `http://127.0.0.1:${await admin.listen(0)}`;
    browser = await chromium.launch({ executablePath: CHROMIUM ?? '', args: ['--no-sandbox'] });
    page = await browser.newPage({ viewport: { width: 1280, height: 900 } });
    page.on('request', (request) => void requests.push(request.url()));
    page.on('pageerror', (error) => void errors.push(error.message));
    page.on('console', (message) => {
      if (/Content Security Policy|TrustedHTML/.test(message.text())) errors.push(message.text());
    });
    await page.goto(`${origin}/ui`);
  }, 60_000);

  afterAll(async () => {
    await browser?.close();
    await Promise.all([admin.close(), plane[Symbol.asyncDispose](), upstream[Symbol.asyncDispose]()]);
  });

  async function shown(selector: string): Promise<string> {
    return page.locator(selector).innerText();
  }

  async function send(headers: string): Promise<void> {
    await page.getByRole('button', { name: 'Trace', exact: true }).click();
    await page.fill('[name=target]', '/a');
    await page.fill('[name=headers]', headers);
    await page.getByRole('button', { name: 'Send', exact: true }).click();
    await page.getByText('The trace is complete.').waitFor();
  }

  const waiting = (): Promise<void> => page.getByText('Waiting for the next request …').waitFor();

  test('says at first what can be done', async () => {
    expect(await shown('.empty')).toContain('There is no trace yet');
    expect(await shown('[name=listener]')).toContain(String(plane.port));
  });

  test('sends a request that is denied, and names the policy, its resource and its level', async () => {
    await send('');
    const text = await shown('.outcome');
    expect(text).toContain('403');
    expect(text).toContain('Route default/r.0');
    expect(text).toContain('Denied by authorization');
    expect(text).toContain('ProxyPolicy default/httproute at route');
    expect(upstream.received).toEqual([]);
  });

  test('sends a request that passes: its events, its answer as text, and no credential anywhere', async () => {
    await send('X-Key: 1\nAuthorization: Bearer hidden-token');
    expect(await shown('.outcome')).toContain(`The backend 127.0.0.1:${upstream.port} answered 200`);
    await page.fill('[name=headers]', '');
    await page.locator('h1').click();
    const seen: string[] = [];
    for (const key of ['e', 's', 'c', 'p', 'a']) {
      await page.keyboard.press(key);
      seen.push(await shown('.detail'));
    }
    expect(seen[4]).toContain(MARKUP);
    expect(seen[3]).toContain('<redacted>');
    const count = await page.locator('.events li').count();
    await page.keyboard.press('e');
    for (let row = 0; row < count; row += 1) {
      seen.push(await shown('.detail'));
      await page.keyboard.press('j');
    }
    expect(seen.join('\n')).toContain('"type": "requestFinished"');
    expect(seen.join('\n')).not.toMatch(/hidden-(?:literal|cookie|token)/);
    expect(await page.title()).toBe('refproxy');
  });

  test('shows what a policy changed between two snapshots', async () => {
    await page.getByRole('button', { name: /request header modifier/ }).click();
    await page.keyboard.press('c');
    expect(await page.locator('.detail .added').allInnerTexts()).toEqual([
      expect.stringContaining('authorization'),
      expect.stringContaining('"x-set": "here"'),
    ]);
  });

  test('shows an expression that is wrong with its place, and takes one that is right', async () => {
    await page.fill('[name=expression]', 'request.path ==');
    await page.getByRole('button', { name: 'Wait for the next one' }).click();
    await page.locator('#expression-error').waitFor();
    expect(await shown('#expression-error')).toMatch(/Line 1, column \d+: .*\n+request\.path ==\n +▲/);
    await page.fill('[name=expression]', 'request.path == "/wanted"');
    await page.getByRole('button', { name: 'Wait for the next one' }).click();
    await waiting();
    await get(plane.port, '/other');
    await get(plane.port, '/wanted');
    await page.getByText('The trace is complete.').waitFor();
    expect(await shown('.events')).toContain('/wanted');
  });

  test('waits no longer when it is told to stop', async () => {
    await page.getByRole('button', { name: 'Wait for the next one' }).click();
    await waiting();
    await page.getByRole('button', { name: 'Stop' }).click();
    await page.getByText('Stopped.').waitFor();
    await expect.poll(() => plane.watchers.waiting()).toBe(false);
  });

  test('tells which line of the headers is none, and what the proxy refuses', async () => {
    await page.fill('[name=headers]', 'none');
    await page.getByRole('button', { name: 'Send', exact: true }).click();
    expect(await shown('.request [role=alert]')).toContain('line 1 of the headers');
    await page.fill('[name=headers]', 'Content-Length: 7');
    await page.getByRole('button', { name: 'Send', exact: true }).click();
    await page.locator('.outcome [role=alert]').waitFor();
    expect(await shown('.outcome')).toContain('headers.1.0: frames the message');
  });

  test('leads from a policy to where it is in force, to the route, and to the listener', async () => {
    await page.getByRole('button', { name: 'Policies' }).click();
    await page.locator('.items button').first().waitFor();
    await page.keyboard.press('j');
    expect(await shown('.detail')).toContain('authorization at route, for rule default/r.0 on default/gw · http');
    await page.locator('.detail .link').first().click();
    expect(await shown('.detail h2')).toContain('default/r.0');
    expect(await shown('.detail')).toContain('ProxyPolicy default/httproute at route');
    await page.getByRole('button', { name: 'Listeners' }).click();
    await page.locator('.items button').first().click();
    expect(await shown('.detail')).toContain('default/r.0');
    await page.getByRole('button', { name: 'Backends' }).click();
    await page.keyboard.press('/');
    await page.keyboard.type('nothing');
    expect(await shown('.list [role=status]')).toBe('0 of 1');
    await page.locator('.list input').fill('');
    await page.locator('.items button').first().click();
    expect(await shown('.items')).toContain(`127.0.0.1:${upstream.port}`);
    await page.locator('h1').click();
    await page.keyboard.press('Escape');
    expect(await page.locator('.detail:visible').count()).toBe(0);
    expect(await page.content()).not.toContain('hidden-literal');
  });

  test('a configuration that changed is there with the next view', async () => {
    await plane.configure([...setup(plane.port), policy('Gateway', { traffic: { timeouts: { request: '9s' } } })]);
    await page.getByRole('button', { name: 'Policies' }).click();
    await page.getByText('default/gateway').waitFor();
    expect(await shown('.items')).toContain('for Gateway gw · timeouts');
  });

  test('needs no sideways scrolling on a narrow screen, in light and dark', async () => {
    await send('X-Key: 1');
    await page.setViewportSize({ width: 390, height: 800 });
    for (const colorScheme of ['light', 'dark'] as const) {
      await page.emulateMedia({ colorScheme });
      for (const view of ['Trace', 'Listeners', 'Routes', 'Policies', 'Backends']) {
        await page.getByRole('button', { name: view, exact: true }).click();
        if (view !== 'Trace') await page.locator('.items button').first().click();
        const width = await page.evaluate<number>('document.documentElement.scrollWidth');
        expect(width, `${view} ${colorScheme}`).toBeLessThanOrEqual(390);
      }
    }
  });

  test('says of a proxy without listeners how to give it one', async () => {
    await plane.configure([]);
    await page.goto(`${origin}/ui`);
    await page.getByText('No listener').waitFor();
    expect(await shown('.request')).toContain(`kubectl --server ${origin} apply -f FILE`);
    await page.getByRole('button', { name: 'Policies' }).click();
    expect(await shown('main .empty:visible')).toContain('There is no ProxyPolicy');
  });

  test('asked nobody else for anything, broke no policy of its own, and keeps nothing', async () => {
    expect(requests.filter((url) => !url.startsWith(`${origin}/`))).toEqual([]);
    expect(errors).toEqual([]);
    expect(await page.evaluate('[localStorage.length, sessionStorage.length, document.cookie]')).toEqual([0, 0, '']);
  });
});
