import { expect, test } from 'vitest';
import { namesIn, resultOf } from '../../../values/expressions/names.ts';
import { expressionsIn, headerExpressionsIn } from '../../../values/expressions/places.ts';
import { vocabulary, vocabularyFrom } from '../../../values/expressions/vocabulary.ts';

test.each<readonly [string, readonly string[]]>([
  ["request.headers['x'] == 'a'", ['request.headers']],
  ["cidr('10.0.0.0/8').containsIP(source.address)", ['.containsIP()', 'cidr()', 'source.address']],
  ['has(jwt.sub) && jwt.a.b > 1', ['jwt.sub', 'jwt.a.b']],
  ['[1, 2].exists(x, x > llm.count)', ['llm.count']],
  ["{'a': size(llmRequest.messages)}", ['size()', 'llmRequest.messages']],
  ["'jwt.sub'", []],
  ['${row.open} == jwt.sub', ['jwt.sub']],
  ['not an [expression', []],
])('%s names %j', (text, names) => {
  expect(namesIn(text).toSorted()).toEqual([...names].toSorted());
});

test.each([
  ["'a'", 'text'],
  ['6 * 7', 'number'],
  ['response.code + 10', 'number'],
  ["request.path + 'x'", 'text'],
  ["request.method == 'GET'", 'boolean'],
  ["a ? 'b' : 'c'", 'text'],
  ['string(1)', undefined],
  ['jwt.sub', undefined],
])('%s gives %s', (text, result) => {
  expect(resultOf(text)).toBe(result);
});

test('expressions are found where the kinds of the documents hold them, and nowhere else', () => {
  const policy = {
    kind: 'ProxyPolicy',
    spec: {
      traffic: {
        headerModifiers: { request: { set: [{ name: 'x', value: 'literal' }] } },
        transformation: { request: { set: [{ name: 'x', value: 'a' }], body: 'b' } },
        authorization: { policy: { matchExpressions: ['c', 'd'] } },
        delay: { duration: 'e' },
        timeouts: { request: '1s' },
        extAuth: { cache: { key: ['f'], ttl: 'g' }, http: { path: 'h', addRequestHeaders: { x: 'i' } } },
      },
    },
  };
  expect(expressionsIn(policy).toSorted()).toEqual(['a', 'b', 'c', 'd', 'e', 'f', 'g', 'h', 'i']);
  expect(headerExpressionsIn(policy)).toEqual(['a', 'i']);
  expect(expressionsIn({ ...policy, kind: 'HTTPRoute' })).toEqual([]);
});

test('a status is not held to be a text, as the fields beside it are', () => {
  const set = [
    { name: ':status', value: '418' },
    { name: 'x', value: 'a' },
  ];
  const policy = { kind: 'ProxyPolicy', spec: { traffic: { transformation: { response: { set } } } } };
  expect(headerExpressionsIn(policy)).toEqual(['a']);
});

test('a name of the table covers its members, and the longest one counts', () => {
  const table = vocabularyFrom({
    places: ['*.x'],
    headers: [],
    standard: ['size()'],
    documented: { 'a.b': 'CFG 1' },
    others: { a: { probe: 'p' }, 'a.c': { feature: 'f' } },
  });
  expect(table.find('a.b.c')).toEqual({ name: 'a.b' });
  expect(table.find('a.d')).toEqual({ name: 'a', origin: { probe: 'p' } });
  expect(table.find('a.c')).toEqual({ name: 'a.c', origin: { feature: 'f' } });
  expect(table.find('size()')).toEqual({ name: 'size()' });
  expect(table.find('.size()')).toBeUndefined();
  expect(table.find('b')).toBeUndefined();
});

test('the table of this package says of jwt that it has to be probed, and of apiKey that it is documented', () => {
  expect(vocabulary().find('jwt.sub')?.origin).toEqual({ probe: 'expressions.names.jwt' });
  expect(vocabulary().find('apiKey.group')).toEqual({ name: 'apiKey' });
});
