import net from 'node:net';
import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { addressText, parseAddress, parseRange } from '../../../cel/functions/addresses.ts';
import { evaluate } from '../support/evaluate.ts';

describe('addresses', () => {
  test.each([
    ['1.2.3.4', '1.2.3.4'],
    ['2001:DB8:0:0:0:0:0:1', '2001:db8::1'],
    ['::', '::'],
    ['1:0:0:2:0:0:0:3', '1:0:0:2::3'],
    ['::1.2.3.4', '::102:304'],
    ['::ffff:1.2.3.4', '1.2.3.4'],
  ])('%s is %s', (text, canonical) => {
    const address = parseAddress(text);
    expect(address && addressText(address)).toBe(canonical);
  });

  test.each([
    '',
    '1.2.3',
    '1.2.3.4.5',
    '01.2.3.4',
    '256.1.1.1',
    '1.2.3.4 ',
    ':::',
    '1::2::3',
    '1:2:3:4:5:6:7',
    '12345::',
    'fe80::1%eth0',
    '1.2.3.4::',
    '::1.2.3.4:5',
    ':1:2:3:4:5:6:7',
    '1:2:3:4:5:6:7:8:9',
    '1:2:3:4:5:6:7::8',
  ])('%j is none', (text) => {
    expect(parseAddress(text)).toBeUndefined();
  });

  test('agrees with Node on what is an address', () => {
    const text = fc.oneof(fc.ipV4(), fc.ipV6(), fc.ipV4Extended(), fc.stringMatching(/^[0-9a-f:.]{1,20}$/));
    fc.assert(
      fc.property(text, (candidate) => {
        // Ours alone refuses `::` for no group at all and takes nothing with a zone.
        expect(parseAddress(candidate) !== undefined).toBe(net.isIP(candidate) !== 0 && !coversNothing(candidate));
      }),
    );
  });

  test('the canonical text of any address gives it again', () => {
    fc.assert(
      fc.property(fc.oneof(fc.ipV4(), fc.ipV6()), (candidate) => {
        const address = parseAddress(candidate);
        fc.pre(address !== undefined);
        expect(parseAddress(addressText(address))).toEqual(address);
      }),
    );
  });

  test.each([
    '10.0.0.0',
    '10.0.0.0/33',
    '10.0.0.0/-1',
    '10.0.0.0/08',
    '10.0.0.0/8/8',
    '::/129',
    '::ffff:1.2.3.4/95',
    '/8',
  ])('%s is no range', (text) => {
    expect(parseRange(text)).toBeUndefined();
  });
});

/** `1:2:3:4:5:6:7::8`: eight groups and a `::`. */
function coversNothing(text: string): boolean {
  return text.includes('::') && text.split(':').filter((group) => group !== '').length >= (text.includes('.') ? 7 : 8);
}

describe('in expressions', () => {
  test.each([
    ['cidr("10.0.0.0/8").containsIP(source.address)', true],
    ['cidr("10.0.0.0/8").containsIP(ip("11.0.0.1"))', false],
    ['cidr("10.0.0.0/8").containsIP("::1")', false],
    ['cidr("0.0.0.0/0").containsIP("255.255.255.255")', true],
    ['cidr("10.0.0.0/8").containsCIDR("10.1.0.0/16")', true],
    ['cidr("10.0.0.0/8").containsCIDR(cidr("0.0.0.0/0"))', false],
    ['string(cidr("10.1.2.3/8").masked())', '10.0.0.0/8'],
    ['cidr("10.1.2.3/8").prefixLength()', 8],
    ['cidr("10.1.2.3/8").ip() == ip("10.1.2.3")', true],
    ['ip("2001:DB8::0") == ip("2001:db8::")', true],
    ['type(ip("::1")) == net.IP', true],
    ['[ip("::1").family(), ip("1.1.1.1").family(), ip("::ffff:1.1.1.1").family()]', [6, 4, 4]],
    ['ip("127.9.9.9").isLoopback() && ip("::1").isLoopback() && !ip("128.0.0.1").isLoopback()', true],
    ['isIP("1.1.1.1") && !isIP("1.1.1") && isCIDR("::/0") && !isCIDR("::")', true],
    ['ip("::1")', '::1'],
  ])('%s', (expression, expected) => {
    expect(evaluate(expression)).toEqual({ ok: true, value: expected });
  });

  test('what is no address fails', () => {
    expect(evaluate('ip("1.2.3")')).toEqual({ ok: false, error: 'not an IP address: 1.2.3' });
    expect(evaluate('cidr("1.2.3.4")')).toEqual({ ok: false, error: 'not a CIDR range: 1.2.3.4' });
  });
});
