import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { parseHtpasswd } from '../../../../policies/traffic/basic-authentication/htpasswd.ts';
import { parseUserPassword } from '../../../../policies/traffic/basic-authentication/user-password.ts';

const encoded = (text: string): string => Buffer.from(text).toString('base64');

describe('an htpasswd file', () => {
  test('BASIC-014: every line counts, whatever ends it', () => {
    const file = 'ada:h1\r\nbob:h2\n\n# note\n#cleo:h3\r  dora:h4  \nemil:h5:more\nfay:\n:h6\ngus\nada:h7';
    expect([...parseHtpasswd(file)]).toEqual([
      ['ada', 'h1'],
      ['bob', 'h2'],
      ['dora', 'h4'],
      ['emil', 'h5'],
    ]);
  });

  test('any text is read, and gives no more users than it has lines', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), (text) => {
        const users = parseHtpasswd(text);
        expect(users.size).toBeLessThanOrEqual(text.split(/\r\n|\n|\r/).length);
        for (const [name, hash] of users)
          expect([name.includes(':'), name === '', hash === '']).toEqual([false, false, false]);
      }),
    );
  });
});

describe('credentials', () => {
  test.each([
    ['ada:open sesame', { name: 'ada', password: 'open sesame' }],
    ['ada:a:b', { name: 'ada', password: 'a:b' }],
    ['ada:', { name: 'ada', password: '' }],
    [':x', { name: '', password: 'x' }],
    ['äöü:päss', { name: 'äöü', password: 'päss' }],
    ['ada', undefined],
    ['ada:a\u0000b', undefined],
    ['ada:a\nb', undefined],
    ['', undefined],
  ])('%j', (text, expected) => {
    expect(parseUserPassword(encoded(text))).toEqual(expected);
  });

  test.each([
    '***',
    'YWRhOng',
    'YWRhOng=\n',
    ' YWRhOng=',
    'YWRhOng=YWRhOng=',
    Buffer.from([0x61, 0x3a, 0xff]).toString('base64'),
  ])('not base64 of UTF-8: %j', (text) => {
    expect(parseUserPassword(text)).toBeUndefined();
  });

  test('any text is read, and only what was written comes back', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), (text) => {
        const read = parseUserPassword(text);
        if (read !== undefined) expect(encoded(`${read.name}:${read.password}`)).toBe(text);
      }),
    );
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme' }), fc.string({ unit: 'grapheme' }), (name, password) => {
        fc.pre(!name.includes(':') && !/\p{Cc}/u.test(name + password));
        expect(parseUserPassword(encoded(`${name}:${password}`))).toEqual({ name, password });
      }),
    );
  });
});
