import { Buffer } from 'node:buffer';
import fc from 'fast-check';
import { describe, expect, it, test } from 'vitest';
import { parseProxyHeader } from '../../server/proxy-header.ts';
import { holds } from '../support/holds.ts';

const parse = (text: string) => parseProxyHeader(Buffer.from(text, 'latin1'));
const SIGNATURE = '\r\n\r\n\0\r\nQUIT\n';

/** A header of version 2 with these bytes behind its length, which is the true one unless another is given. */
function v2(command: number, family: number, body: string, length = body.length): string {
  return SIGNATURE + String.fromCodePoint(command, family, length >> 8, length & 255) + body;
}

const FROM_TO_4 = '\xc0\x00\x02\x01\x0a\x00\x00\x01\x30\x39\x01\xbb';
const FROM_TO_6 = `\x20\x01\x0d\xb8${'\0'.repeat(11)}\x01${'\0'.repeat(15)}\x01\x30\x39\x01\xbb`;

describe('the header of version 1', () => {
  test.each([
    ['PROXY TCP4 192.0.2.1 10.0.0.1 12345 443\r\n', { address: '192.0.2.1', port: 12345 }],
    ['PROXY TCP4 0.0.0.0 255.255.255.255 0 65535\r\n', { address: '0.0.0.0', port: 0 }],
    ['PROXY TCP6 2001:DB8::1 ::1 12345 443\r\n', { address: '2001:db8::1', port: 12345 }],
    ['PROXY TCP6 ::ffff:192.0.2.1 ::1 1 2\r\n', { address: '192.0.2.1', port: 1 }],
    ['PROXY UNKNOWN\r\n', undefined],
    [`PROXY UNKNOWN ${'x'.repeat(91)}\r\n`, undefined],
  ])('%j names %j', (text, client) => {
    const header = { version: 'V1', length: text.length, ...(client && { client }) };
    expect(parse(text)).toEqual(header);
    expect(parse(`${text}GET / HTTP/1.1\r\n`)).toEqual(header);
  });

  test.each([
    'PROXY \r\n',
    'PROXY TCP4\r\n',
    'PROXY TCP4 192.0.2.1 10.0.0.1 12345\r\n',
    'PROXY TCP4 192.0.2.1 10.0.0.1 12345 443 \r\n',
    'PROXY TCP4  192.0.2.1 10.0.0.1 12345 443\r\n',
    'PROXY TCP4 192.0.2.256 10.0.0.1 12345 443\r\n',
    'PROXY TCP4 192.0.2.1 10.0.0.1 65536 443\r\n',
    'PROXY TCP4 192.0.2.1 10.0.0.1 12345 -1\r\n',
    'PROXY TCP4 192.0.2.1 10.0.0.1 012 443\r\n',
    'PROXY TCP4 2001:db8::1 ::1 12345 443\r\n',
    'PROXY TCP6 192.0.2.1 10.0.0.1 12345 443\r\n',
    'PROXY TCP6 fe80::1%eth0 ::1 12345 443\r\n',
    'PROXY UDP4 192.0.2.1 10.0.0.1 12345 443\r\n',
    'PROXY unknown\r\n',
    'PROXY TCP4 192.0.2.1 10.0.0.1 12345 443\n',
    `PROXY UNKNOWN ${'x'.repeat(92)}\r\n`,
    `PROXY ${'x'.repeat(101)}`,
  ])('%j is malformed', (text) => {
    expect(parse(text)).toBe('malformed');
  });
});

describe('the header of version 2', () => {
  test.each([
    [v2(0x21, 0x11, FROM_TO_4), { address: '192.0.2.1', port: 12345 }],
    [v2(0x21, 0x12, FROM_TO_4), { address: '192.0.2.1', port: 12345 }],
    [v2(0x21, 0x21, FROM_TO_6), { address: '2001:db8::1', port: 12345 }],
    [v2(0x21, 0x22, FROM_TO_6), { address: '2001:db8::1', port: 12345 }],
    [v2(0x21, 0x11, `${FROM_TO_4}\x03\x00\x04abcd\x20\x00\x00`), { address: '192.0.2.1', port: 12345 }],
    [v2(0x21, 0x00, ''), undefined],
    [v2(0x21, 0x00, '\x04\x00\x01x'), undefined],
    [v2(0x20, 0x00, ''), undefined],
    [v2(0x20, 0x11, FROM_TO_4), undefined],
    [v2(0x20, 0x00, 'anything'), undefined],
    [v2(0x20, 0x00, 'x'.repeat(512)), undefined],
  ])('%j names %j', (text, client) => {
    const header = { version: 'V2', length: text.length, ...(client && { client }) };
    expect(parse(text)).toEqual(header);
    expect(parse(`${text}GET / HTTP/1.1\r\n`)).toEqual(header);
  });

  test.each([
    v2(0x11, 0x11, FROM_TO_4),
    v2(0x22, 0x11, FROM_TO_4),
    v2(0x21, 0x31, 'x'.repeat(216)),
    v2(0x21, 0x13, FROM_TO_4),
    v2(0x21, 0x11, FROM_TO_4.slice(1)),
    v2(0x21, 0x21, FROM_TO_4),
    v2(0x20, 0x00, '', 513),
    v2(0x21, 0x11, '', 65_535),
    v2(0x21, 0x11, `${FROM_TO_4}\x03\x00\x05abcd`),
    v2(0x21, 0x11, `${FROM_TO_4}\x03`),
    `${SIGNATURE}\x31`,
  ])('%j is malformed', (text) => {
    expect(parse(text)).toBe('malformed');
  });
});

const GOOD = [
  'PROXY TCP4 192.0.2.1 10.0.0.1 12345 443\r\n',
  'PROXY UNKNOWN\r\n',
  v2(0x21, 0x11, FROM_TO_4),
  v2(0x21, 0x21, `${FROM_TO_6}\x01\x00\x02h2`),
  v2(0x20, 0x00, ''),
];

test.each(GOOD)('%j is incomplete up to its last byte', (text) => {
  for (let size = 0; size < text.length; size += 1) expect(parse(text.slice(0, size))).toBe('incomplete');
  expect(parse(text)).toMatchObject({ length: text.length });
});

test.each(['GET / HTTP/1.1\r\n', 'PRI * HTTP/2.0\r\n', 'POST /', '\r\nGET /', '\x16\x03\x01', 'proxy ', 'PROXX'])(
  '%j is no header',
  (text) => {
    expect(parse(text)).toBe('none');
  },
);

/** Near misses: a header whose bytes were exchanged, taken out or added, and what is random behind a signature. */
const bytes: fc.Arbitrary<Uint8Array> = fc.oneof(
  fc.uint8Array({ maxLength: 700 }),
  fc
    .tuple(
      fc.constantFrom('PROXY ', 'PROXY TCP4 ', SIGNATURE, `${SIGNATURE}\x21\x11`),
      fc.uint8Array({ maxLength: 600 }),
    )
    .map(([start, rest]) => Buffer.concat([Buffer.from(start, 'latin1'), rest])),
  fc
    .tuple(fc.constantFrom(...GOOD), fc.nat(), fc.nat(2), fc.uint8Array({ maxLength: 3 }))
    .map(([text, place, taken, added]) => {
      const at = place % text.length;
      const whole = Buffer.from(text, 'latin1');
      return Buffer.concat([whole.subarray(0, at), added, whole.subarray(at + taken)]);
    }),
);

describe('whatever comes', () => {
  it('says the same of a longer beginning once it has said anything, within 528 bytes', () => {
    holds(
      fc.property(bytes, (all) => {
        const whole = Buffer.from(all);
        let decided: ReturnType<typeof parseProxyHeader> = 'incomplete';
        for (let size = 1; size <= whole.length; size += 1) {
          const now = parseProxyHeader(whole.subarray(0, size));
          if (decided === 'incomplete') decided = now;
          else expect(now).toEqual(decided);
        }
        if (whole.length >= 528) expect(decided).not.toBe('incomplete');
        if (typeof decided !== 'string') expect(decided.length).toBeLessThanOrEqual(528);
      }),
      { examples: SAVED.map((text): [Uint8Array] => [Buffer.from(text, 'latin1')]) },
    );
  });
});

/** Always tried: what stands at the border between two answers. */
const SAVED = [
  'PROXY TCP4 192.0.2.1 10.0.0.1 12345 443\n\r\n',
  `PROXY UNKNOWN ${'x'.repeat(92)}\r`,
  v2(0x21, 0x11, FROM_TO_4, 11),
];
