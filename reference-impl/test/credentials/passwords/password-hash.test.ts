import { execFileSync } from 'node:child_process';
import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { parseHtpasswd } from '../../../policies/traffic/basic-authentication/htpasswd.ts';
import { verifiesPassword } from '../../../credentials/passwords/password-hash.ts';
import { VECTORS, type Vector, WITH_ROUNDS } from './vectors.ts';

const hashesOf = (vector: Vector): readonly (readonly [form: string, stored: string])[] =>
  Object.entries(vector).filter(([form]) => form !== 'password');

describe('hashes made by other programs', () => {
  test.each(VECTORS.flatMap((vector) => hashesOf(vector).map(([form, stored]) => ({ ...vector, form, stored }))))(
    'BASIC-009 to BASIC-012: $form of "$password"',
    ({ password, stored, form }) => {
      expect(verifiesPassword(password, stored)).toBe(true);
      expect(verifiesPassword(`x${password}`, stored)).toBe(false);
      expect(verifiesPassword(stored, stored)).toBe(false);
      // Two formats look at no more than the beginning of a password.
      const looksAt = { crypt: 8, bcrypt: 72 }[form] ?? Number.POSITIVE_INFINITY;
      if (Buffer.byteLength(password) < looksAt) expect(verifiesPassword(`${password}x`, stored)).toBe(false);
      if (password !== '') expect(verifiesPassword('', stored)).toBe(false);
    },
  );

  test.each(WITH_ROUNDS)('%s', (stored) => {
    expect(verifiesPassword('open sesame', stored)).toBe(true);
    expect(verifiesPassword('open sesam', stored)).toBe(false);
  });

  test('the three markers of bcrypt stand for one algorithm', () => {
    const [vector] = VECTORS;
    for (const marker of ['$2a$', '$2b$', '$2y$']) {
      expect(verifiesPassword('open sesame', `${marker}${vector?.bcrypt.slice(4)}`)).toBe(true);
    }
  });
});

test.each([
  [14, true, '$2y$14$8Cap5CDIooqEmcmBVCZVAefimii7Pca0F8D05mc4ZZTDcWYehFO4.'],
  [15, false, '$2y$15$EJE7p/0rbaXyb6uTtdLooOifnTYZUmZCmUF03iyouCikf.oVjdTTu'],
])('the right password for a bcrypt hash of cost %i: %s', (_, verified, stored) => {
  expect(verifiesPassword('open sesame', stored)).toBe(verified);
});

describe('what never verifies', () => {
  test.each([
    ['a plain password', 'open sesame', 'open sesame'],
    ['nothing', '', ''],
    ['a marker alone', '', '$2y$'],
    ['a hash with a space behind it', 'open sesame', `${VECTORS[0]?.apr1 ?? ''} `],
    ['rounds that would take minutes', 'x', `$6$rounds=999999999$salt$${'a'.repeat(86)}`],
    ['a cost that would take hours', 'x', `$2y$31$${'a'.repeat(53)}`],
    ['a password of a megabyte', 'x'.repeat(2 ** 20), VECTORS[0]?.sha1 ?? ''],
  ])('%s', (_, password, stored) => {
    const begun = performance.now();
    expect(verifiesPassword(password, stored)).toBe(false);
    expect(performance.now() - begun).toBeLessThan(4000);
  });

  test('any text as a hash, and any other password', () => {
    const [vector] = VECTORS;
    const quick = [vector?.sha1, vector?.apr1, vector?.md5].flatMap((stored) => stored ?? []);
    const stored = fc.oneof(
      fc.string({ unit: 'binary' }),
      fc.constantFrom(...quick),
      fc.mixedCase(fc.constantFrom(...quick)),
    );
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), stored, (password, hash) => {
        fc.pre(password !== 'open sesame');
        expect(verifiesPassword(password, hash)).toBe(false);
      }),
    );
  });
});

const tools = [
  { tool: 'htpasswd', forms: [['-nbm'], ['-nbB', '-C', '4'], ['-nbs'], ['-nbd'], ['-nb2'], ['-nb5']] },
  { tool: 'openssl', forms: [['-apr1'], ['-1'], ['-5'], ['-6']] },
].map((entry) => ({ ...entry, present: runs(entry.tool) }));
for (const { tool, present } of tools) {
  if (!present) console.warn(`${tool} is not installed: no fresh hashes of it are verified`);
}

describe('fresh hashes', () => {
  test.skipIf(!tools[0]?.present).each(tools[0]?.forms ?? [])('htpasswd %s', (...form) => {
    agree((password) => {
      const args = [...form, 'u', password];
      const written = execFileSync('htpasswd', args, { encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] });
      return parseHtpasswd(written).get('u') ?? '';
    });
  });

  test.skipIf(!tools[1]?.present).each(tools[1]?.forms ?? [])('openssl passwd %s', (...form) => {
    agree((password) =>
      execFileSync('openssl', ['passwd', ...form, '-stdin'], { encoding: 'utf8', input: `${password}\n` }).trim(),
    );
  });
});

/** At most 8 bytes, which every format reads to the end, and none that a shell or a C string would end at. */
const PASSWORDS = ['a', 'p4ss-Wrd', 'äöü', '$1$a$b', '  x  ', '\'"\\'];

function agree(make: (password: string) => string): void {
  for (const password of PASSWORDS) {
    const stored = make(password);
    expect([stored, verifiesPassword(password, stored)]).toEqual([stored, true]);
    expect(verifiesPassword(password.slice(0, -1), stored)).toBe(false);
  }
}

function runs(tool: string): boolean {
  try {
    execFileSync('which', [tool], { stdio: 'ignore' });
    return true;
  } catch {
    return false;
  }
}
