import { expect, test } from 'vitest';
import { respell } from '../../../values/expressions/respell.ts';

const spelling = new Map([
  ['request.headers', 'req.header'],
  ['basicAuth.username', 'basicAuth.user'],
  ['jwt', 'claims'],
  ['cidr()', 'network()'],
  ['.containsIP()', '.has()'],
]);

test.each([
  ["request.headers['x'] == 'a'", "req.header['x'] == 'a'"],
  ['request.headers.x', 'req.header.x'],
  ["'request.headers' + request.path", "'request.headers' + request.path"],
  ['jwt.sub == basicAuth.username', 'claims.sub == basicAuth.user'],
  ['has(jwt.sub)', 'has(claims.sub)'],
  ["cidr('10.0.0.0/8').containsIP(source.address)", "network('10.0.0.0/8').has(source.address)"],
  ['jwt.sub.contains("jwt")', 'claims.sub.contains("jwt")'],
  ['x.jwt + jwtx + a[0].jwt', 'x.jwt + jwtx + a[0].jwt'],
  ['jwt // jwt', 'claims // jwt'],
  ["'it\\'s jwt' + jwt.a", "'it\\'s jwt' + claims.a"],
])('%s becomes %s', (given, expected) => {
  expect(respell(given, spelling)).toBe(expected);
});
