import { expect, it } from 'vitest';
import { HeaderMap } from '../../base/headers.ts';
import { endToEnd } from '../../base/hop-by-hop.ts';

it('drops the fields of one connection and those that Connection names', () => {
  const raw = [
    'A',
    '1',
    'Connection',
    'close, X-Mine',
    'x-mine',
    '2',
    'Upgrade',
    'h2c',
    'TE',
    'trailers',
    'TE',
    'gzip',
  ];
  expect(endToEnd(HeaderMap.fromRaw(raw)).toRaw()).toEqual(['A', '1', 'TE', 'trailers']);
});

it('does not let Connection name what framing and policies stand on', () => {
  const raw = ['Connection', 'Content-Length, Authorization', 'Content-Length', '3', 'Authorization', 'x'];
  expect(endToEnd(HeaderMap.fromRaw(raw)).toRaw()).toEqual(['Content-Length', '3', 'Authorization', 'x']);
});
