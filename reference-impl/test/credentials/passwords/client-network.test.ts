import fc from 'fast-check';
import { expect, test } from 'vitest';
import { networkOf } from '../../../credentials/passwords/client-network.ts';

test.each([
  ['203.0.113.7', '203.0.113.7'],
  ['', ''],
  ['2001:db8:1:2:3:4:5:6', '2001:db8:1:2::/64'],
  ['2001:0DB8:0001:0002::', '2001:db8:1:2::/64'],
  ['2001:db8::1', '2001:db8:0:0::/64'],
  ['::1', '0:0:0:0::/64'],
  ['::', '0:0:0:0::/64'],
  ['1:2:3:4:5:6:192.0.2.1', '1:2:3:4::/64'],
  ['fe80::1%eth0', 'fe80:0:0:0::/64'],
])('%j counts as %j', (address, network) => {
  expect(networkOf(address)).toBe(network);
});

test('addresses of IPv6 count as one exactly where their first 64 bits are the same', () => {
  fc.assert(
    fc.property(fc.ipV6(), fc.ipV6(), (one, other) => {
      expect(networkOf(one) === networkOf(other)).toBe(bits(one).slice(0, 16) === bits(other).slice(0, 16));
    }),
  );
});

/** As hexadecimal digits; the URL parser knows all spellings. */
function bits(address: string): string {
  const [before = '', after] = new URL(`http://[${address}]/`).hostname.slice(1, -1).split('::');
  const [leading, trailing] = [groups(before), groups(after ?? '')];
  const zeros = Array<string>(8 - leading.length - trailing.length).fill('0');
  return [...leading, ...(after === undefined ? [] : zeros), ...trailing]
    .map((group) => group.padStart(4, '0'))
    .join('');
}

function groups(text: string): string[] {
  return text === '' ? [] : text.split(':');
}
