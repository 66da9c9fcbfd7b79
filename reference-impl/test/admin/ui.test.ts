import { afterEach, expect, test, vi } from 'vitest';
import { createAdminServer, type AdminServer } from '../../admin/server.ts';
import { createWatchers } from '../../trace/watchers.ts';
import { manualClock } from '../trace/manual-clock.ts';
import { gateway, snapshotWith, viewWith } from '../trace/views.ts';

/** As much of a browser's element as the page's script touches. */
class FakeElement extends EventTarget {
  children: FakeElement[] = [];
  textContent = '';
  value = '';
  className = '';
  type = '';
  disabled = false;
  readonly attributes = new Map<string, string>();

  append(child: FakeElement): void {
    this.children.push(child);
  }
  replaceChildren(): void {
    this.children = [];
  }
  querySelector(): FakeElement | undefined {
    return this.children.flatMap(({ children }) => children).find(({ attributes }) => attributes.has('aria-current'));
  }
  setAttribute(name: string, value: string): void {
    this.attributes.set(name, value);
  }
  removeAttribute(name: string): void {
    this.attributes.delete(name);
  }
}

let admin: AdminServer;

afterEach(async () => {
  vi.unstubAllGlobals();
  await admin.close();
});

test('the page arms a trace, lists its events as text and shows the selected one', async () => {
  const view = viewWith(gateway('default', 'gw', 3000, 'a.test'));
  const clock = manualClock();
  const watchers = createWatchers({ clock, view: () => view });
  admin = createAdminServer({ view: () => view, snapshot: () => snapshotWith(), watchers, clock, log: () => {} });
  const port = await admin.listen(0);

  const elements = new Map<string, FakeElement>();
  const element = (selector: string): FakeElement => {
    const known = elements.get(selector) ?? new FakeElement();
    elements.set(selector, known);
    return known;
  };
  vi.stubGlobal('document', { querySelector: element, createElement: () => new FakeElement() });
  const { fetch } = globalThis;
  vi.stubGlobal('fetch', (path: string, init: RequestInit) => fetch(`http://127.0.0.1:${port}${path}`, init));
  await import(new URL('../../admin/ui/ui.js', import.meta.url).href);

  element('#expression').value = 'request.path ==';
  element('#arm').dispatchEvent(new Event('submit'));
  await expect.poll(() => element('#status').textContent).toMatch(/^Failed: invalid expression: /);

  element('#expression').value = '';
  element('#arm').dispatchEvent(new Event('submit'));
  await expect.poll(() => element('#status').textContent).toBe('Waiting for the next request …');
  const recorder = watchers.recorderFor({
    port: 3000,
    host: 'a.test',
    source: { port: 1 },
    variables: () => undefined,
  });
  recorder.emit({ type: 'requestStarted' });
  recorder.emit({ type: 'backendCallStart', target: '<b>h</b>:1' });
  recorder.emit({ type: 'requestFinished' });
  recorder.finish();
  await expect.poll(() => element('#status').textContent).toBe('3 events, trace complete.');

  const buttons = element('#events').children.flatMap(({ children }) => children);
  expect(buttons.map(({ textContent }) => textContent)).toEqual([
    'requestStarted',
    'backendCallStart · <b>h</b>:1',
    'requestFinished',
  ]);
  buttons[1]?.dispatchEvent(new Event('click'));
  expect(element('#raw').textContent).toContain('"target": "<b>h</b>:1"');
  buttons[2]?.dispatchEvent(new Event('click'));
  expect(buttons.map(({ attributes }) => attributes.has('aria-current'))).toEqual([false, false, true]);
});
