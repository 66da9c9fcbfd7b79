import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { credentialLocation } from '../../credentials/credential-location.ts';
import { credentialsInQuery } from '../../credentials/credentials-in-query.ts';
import { putCredential } from '../../credentials/put-credential.ts';
import type { AuthorizationLocation } from '../../resources/proxy-policy/fields/location.ts';
import { exchangeOf, fields } from '../policies/support/exchange.ts';

const HEADER: AuthorizationLocation = { header: { name: 'X-Key' } };
const PREFIXED: AuthorizationLocation = { header: { name: 'Authorization', prefix: 'Bearer ' } };
const QUERY: AuthorizationLocation = { queryParameter: { name: 'a key' } };
const COOKIE: AuthorizationLocation = { cookie: { name: 'key' } };

const TARGET = '/path?one=1&a+key=old&a%20key=older&&two=2';
const FIELDS = { 'x-key': 'old', authorization: 'Bearer old', cookie: 'one=1; key=old; two=2; key=older' };
const FULL = exchangeOf({ target: TARGET, headers: FIELDS }).request;

test.each<[AuthorizationLocation, string, Readonly<Record<string, string>>]>([
  [HEADER, TARGET, { 'X-Key': 'new', authorization: 'Bearer old', cookie: FIELDS.cookie }],
  [PREFIXED, TARGET, { 'x-key': 'old', Authorization: 'Bearer new', cookie: FIELDS.cookie }],
  [QUERY, '/path?one=1&two=2&a+key=new', FIELDS],
  [COOKIE, TARGET, { 'x-key': 'old', authorization: 'Bearer old', cookie: 'one=1; two=2; key=new' }],
])('a credential at %j takes the place of what the client had there', (location, target, expected) => {
  const request = putCredential(FULL, location, 'new');
  expect(request.target).toBe(target);
  expect(fields(request.headers)).toEqual(expected);
});

test.each([HEADER, PREFIXED, QUERY, COOKIE])('a credential at %j is found there again', (location) => {
  const { extract } = credentialLocation(location);
  const text = fc.stringMatching(/^[A-Za-z0-9._~+/-]+=*$/);
  fc.assert(
    fc.property(text, (credential) => {
      expect(extract(putCredential(FULL, location, credential), () => undefined)).toMatchObject({ credential });
    }),
  );
});

test('a credential that would split the message is not sent, and not told', () => {
  expect(putSplitting).toThrow('backend authentication failed: the credential for X-Key cannot stand in a header');
  expect(putSplitting).not.toThrow('secret');
});

function putSplitting(): unknown {
  return putCredential(FULL, HEADER, 'secret\r\nx: y');
}

test('credentials in a query are the pieces at every place that policies name, and nothing of the client', () => {
  const query = 'one=1&a+key=new&two=2&token=t&more=m&signed=s';
  const more = [{ location: { queryParameter: { name: 'more' } }, secretRef: { name: 'more' } }];
  expect(credentialsInQuery(query, undefined)).toBe('');
  expect(credentialsInQuery(query, { key: 'new', location: HEADER })).toBe('');
  expect(credentialsInQuery(query, { key: 'new', location: QUERY, credentials: more })).toBe('a+key=new&more=m');
  expect(credentialsInQuery('', { key: 'new', location: QUERY })).toBe('');
});
