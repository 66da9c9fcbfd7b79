import fc from 'fast-check';
import { expect, test } from 'vitest';
import { isSameOrigin, parseOrigin } from '../../base/origin.ts';

test.each([
  ['http://h.test', { scheme: 'http', host: 'h.test', port: '80' }],
  ['HTTPS://H.Test:0443', { scheme: 'https', host: 'h.test', port: '443' }],
  ['http://[::1]:8080', { scheme: 'http', host: '[::1]', port: '8080' }],
  ['app://main', { scheme: 'app', host: 'main', port: '' }],
  ['https://*.h.test', { scheme: 'https', host: '*.h.test', port: '443' }],
])('%s', (text, origin) => {
  expect(parseOrigin(text)).toEqual(origin);
});

test.each(['null', '', 'h.test', 'http://', 'http://h.test/', 'http://a b', 'http://u@h.test', 'http://h.test:123456'])(
  'no origin: %s',
  (text) => {
    expect(parseOrigin(text)).toBeUndefined();
  },
);

test('any text is an origin or none, and an origin is the same as itself in other letters', () => {
  fc.assert(
    fc.property(fc.oneof(fc.string(), fc.webUrl({ withQueryParameters: true })), (text) => {
      const origin = parseOrigin(text);
      const louder = parseOrigin(text.toUpperCase());
      if (origin !== undefined && louder !== undefined) expect(isSameOrigin(origin, louder)).toBe(true);
    }),
  );
});
