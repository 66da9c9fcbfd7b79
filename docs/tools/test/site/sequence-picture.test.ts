import { expect, test } from 'vitest';
import { drawSequence, escapeText } from '../../site/sequence-picture.ts';

const seen = [
  { atMs: 0, who: 'config', what: 'accepted' },
  { atMs: 1, who: 'client', what: '> GET /a (c-0123abcd.test)' },
  { atMs: 1.5, who: 'canary', what: 'revision [3]' },
  { atMs: 2, who: 'up', what: '< GET /a' },
  { atMs: 3, who: 'client', what: '< 200 2 bytes' },
];

test('the client, the proxy and each peer that was reached have a lane, in this order', () => {
  const picture = drawSequence([...seen, { atMs: 4, who: 'other', what: '< GET /b' }], 'a title') ?? '';
  expect([...picture.matchAll(/class="lane" x="\d+" y="18">([^<]+)</g)].map(([, name]) => name)).toEqual([
    'client',
    'proxy',
    'up',
    'other',
  ]);
  expect(picture).toContain('aria-label="a title"');
});

test('arrows lead from who sent to who received, and what is no message is a note', () => {
  const picture = drawSequence(seen, 'a title') ?? '';
  const arrows = [...picture.matchAll(/<line class="(sent|answer)" x1="(\d+)" y1="\d+" x2="(\d+)"/g)];
  expect(arrows.map(([, kind, from, to]) => [kind, Number(to) > Number(from)])).toEqual([
    ['sent', true],
    ['sent', true],
    ['answer', false],
  ]);
  expect(picture).toContain('config: accepted');
  expect(picture).not.toContain('revision');
  expect(picture).toContain('>GET /a<');
});

test('nothing is drawn where no client sent anything', () => {
  expect(drawSequence([{ atMs: 0, who: 'config', what: 'rejected' }], 'a title')).toBeUndefined();
});

test('texts are text in HTML and in templates', () => {
  expect(escapeText('<b> & "{{x}}"')).toBe('&lt;b&gt; &amp; &quot;&#123;&#123;x&#125;&#125;&quot;');
});
