import { expect, test } from 'vitest';
import { describePart, readPart } from '../../schedule/captured-part.ts';
import { commonStepShape } from '../../steps/registry.ts';

const SEEN = {
  headers: { 'www-authenticate': 'Bearer resource_metadata="http://a.test/.well-known/x", scope="r"' },
  lines: ['Negotiate', 'Bearer resource_metadata="http://a.test/second"'],
  json: { count: 3, servers: ['https://a.test'] },
};
const ADDRESS = 'resource_metadata="https?://[^/"]+(/[^"]*)"';

test.each([
  ['a member', 'json.count', 3],
  ['a member that is not there', 'json.none', undefined],
  ['a part of a header', { of: 'headers.www-authenticate', re: ADDRESS }, '/.well-known/x'],
  ['a part of the line that has it', { of: 'lines', re: ADDRESS, else: '/usual' }, '/second'],
  ['a part of no line', { of: 'lines', re: 'realm="(.*)"' }, undefined],
  ['an empty part', { of: 'json.servers.0', re: '^https?://[^/]+(.*)$' }, ''],
  ['a part that is not in the text', { of: 'headers.www-authenticate', re: 'realm="(.*)"' }, undefined],
  ['a part of what is no text', { of: 'json.count', re: '(.*)' }, undefined],
  ['a part of what is not there', { of: 'headers.location', re: '(.*)' }, undefined],
  ['what else there is', { of: 'headers.location', re: '(.*)', else: '/usual' }, '/usual'],
  [
    'a part before what else there is',
    { of: 'headers.www-authenticate', re: ADDRESS, else: '/usual' },
    '/.well-known/x',
  ],
])('%s is kept', (_, part, kept) => {
  expect(readPart(SEEN, part)).toEqual(kept);
});

test('a failure says what was looked for', () => {
  expect(describePart('json.count')).toBe('a value at json.count');
  expect(describePart({ of: 'body', re: 'a(b)' })).toBe('a text at body with a(b)');
});

test.each([
  ['with a group', '^a(b)$', true],
  ['with several', '(a)(b)', true],
  ['without a group', '^ab$', false],
  ['with a group that keeps nothing', '(?:ab)', false],
  ['that is none', '(', false],
])('an expression %s', (_, re, taken) => {
  expect(commonStepShape.capture.safeParse({ part: { of: 'body', re } }).success).toBe(taken);
});
