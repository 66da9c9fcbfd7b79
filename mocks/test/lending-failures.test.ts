import { expect, test } from 'vitest';
import type { HttpReply } from '../http-exchange.ts';
import { lendTo } from '../lending-failures.ts';

const JSON_TYPE = { 'content-type': 'application/json' };
const DOCUMENT = {
  status: 200,
  headers: JSON_TYPE,
  body: '{"token_type":"Bearer","access_token":"lent","expires_in":1}',
};

test.each(['reader', 'arn:aws:iam::1:role/reader', 'refuses-not', 'fails/reader', ''])(
  'whoever asks as %j is given what was asked for',
  (name) => {
    expect(lendTo(name, DOCUMENT)).toBe(DOCUMENT);
  },
);

test.each<[string, HttpReply]>([
  ['refuses', { status: 400, headers: JSON_TYPE, body: '{"error":"invalid_grant"}' }],
  ['denies', { status: 401, headers: JSON_TYPE, body: '{"error":"invalid_client"}' }],
  ['fails', { status: 503, body: 'later' }],
  ['arn:aws:iam::1:role/fails', { status: 503, body: 'later' }],
  ['garbage', { ...DOCUMENT, body: 'neither a document nor a token' }],
  ['nothing', { ...DOCUMENT, body: '' }],
  ['no-token', { ...DOCUMENT, body: '{"token_type":"Bearer","expires_in":1}' }],
  ['no-http', { fault: 'garbage' }],
  ['resets', { fault: 'reset' }],
  ['half-closes', { fault: 'half-close' }],
  ['hangs', { fault: 'hang' }],
])('whoever asks as %j is not', (name, answer) => {
  expect(lendTo(name, DOCUMENT)).toEqual(answer);
});

test.each([
  ['{"id_token":"a.b.c"}', '{}'],
  ['<A>a</A><SecretAccessKey>s</SecretAccessKey><B>b</B>', '<A>a</A><B>b</B>'],
  ['a.b-_.c', ''],
])('of %s only the token is missing', (body, left) => {
  expect(lendTo('no-token', { body })).toEqual({ body: left });
});

test('what comes late is what was asked for', () => {
  const chunks = [{ gate: 'never', giveUp: '300ms' }, { text: DOCUMENT.body }];
  expect(lendTo('late', DOCUMENT)).toEqual({ status: 200, headers: JSON_TYPE, chunks });
});
