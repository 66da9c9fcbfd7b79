import { expect, test } from 'vitest';
import { withoutLiteralCredentials, withoutSecretHeaders, withoutShownCredentials } from '../../trace/credentials.ts';

test.each([
  ['authorization'],
  ['x-api-key'],
  ['x-goog-api-key'],
  ['x-amz-security-token'],
  ['cookie'],
  ['api-key'],
  ['x-auth-token'],
  ['x-csrf-token'],
  ['private-token'],
  ['x-vault-token'],
])('the value of %s is not shown', (name) => {
  const state = { request: { headers: { [name]: 'secret', accept: 'text/plain' } } };
  expect(withoutSecretHeaders(state)).toEqual({
    request: { headers: { [name]: '<redacted>', accept: 'text/plain' } },
  });
});

test.each([
  ['/a?access_token=s&b=1', '/a?access_token=<redacted>&b=1'],
  ['/a?b=1&api-key=s', '/a?b=1&api-key=<redacted>'],
  ['/a?key=s', '/a?key=<redacted>'],
  ['/a?X-Amz-Signature=s&x-amz-date=d', '/a?X-Amz-Signature=<redacted>&x-amz-date=d'],
  ['/a?client%5Fsecret=s', '/a?client%5Fsecret=<redacted>'],
  ['/a?tokens=3&keyword=k&author=a&max_tokens=4', '/a?tokens=3&keyword=k&author=a&max_tokens=4'],
])('of %s no credential is shown', (target, shown) => {
  const places = { headers: new Set<string>(), queryParameters: new Set<string>() };
  const state = { request: { headers: {}, uri: `http://h${target}`, pathAndQuery: target } };
  expect(withoutShownCredentials(state, places)).toEqual({
    request: { headers: {}, uri: `http://h${shown}`, pathAndQuery: shown },
  });
});

test.each([['x-ratelimit-remaining-tokens'], ['x-author'], ['keep-alive'], ['x-tokenizer']])('%s is shown', (name) => {
  const state = { request: { headers: { [name]: 'open' } } };
  expect(withoutSecretHeaders(state)).toEqual(state);
});

function edits(key: string): object {
  return { set: [{ name: 'Api-Key', value: key }], add: [{ name: 'x-a', value: 'b' }] };
}

test('a header edit with a literal credential is shown without it', () => {
  expect(withoutLiteralCredentials(edits('secret'))).toEqual(edits('<redacted>'));
});

test.each([
  [{ addRequestHeaders: { 'X-Api-Key': "'secret'", 'x-tenant': "'a'" } }, 'X-Api-Key'],
  [
    {
      env: [
        { name: 'SESSION_KEY', value: 'secret' },
        { name: 'RUST_LOG', value: 'info' },
      ],
    },
    'SESSION_KEY',
  ],
])('neither is one in an expression for a field, nor in a variable of the workload: %j', (written, named) => {
  const shown = JSON.stringify(withoutLiteralCredentials(written));
  expect(shown).toContain(named);
  expect(shown).toBe(JSON.stringify(written).replace(/'secret'|(?<=")secret(?=")/, '<redacted>'));
});
