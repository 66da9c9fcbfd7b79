import { expect, test } from 'vitest';
import { admit } from '../../admission/admit.ts';
import { pathText } from '../../admission/violation.ts';

function placesIn(kind: string, members: object, metadata: object = {}): string[] {
  const admission = admit({ apiVersion: 'v1', kind, metadata: { name: 'x', ...metadata }, ...members });
  return admission.ok ? [] : admission.violations.map(({ path }) => pathText(path));
}

test.each([
  ['app', 'shop', true],
  ['example.com/App_1.x', 'Up-to.63_', false],
  ['example.com/App_1.x', '', true],
  ['a'.repeat(63), 'a'.repeat(63), true],
  ['a'.repeat(64), 'a', false],
  ['a', 'a'.repeat(64), false],
  [`${'a'.repeat(253)}/a`, 'a', true],
  [`${'a'.repeat(254)}/a`, 'a', false],
  ['', 'a', false],
  ['/a', 'a', false],
  ['a/', 'a', false],
  ['a/b/c', 'a', false],
  ['Example.com/a', 'a', false],
  ['-a', 'a', false],
  ['a', 'with space', false],
  ['ä', 'a', false],
])('label %j: %j', (key, value, valid) => {
  expect(placesIn('ConfigMap', {}, { labels: { [key]: value } }).length === 0).toBe(valid);
});

test('annotations have keys like labels, in any case, and 256 KiB together', () => {
  expect(placesIn('ConfigMap', {}, { annotations: { 'Example.com/A': 'any text\n' } })).toEqual([]);
  expect(placesIn('ConfigMap', {}, { annotations: { 'a b': '' } })).toEqual(['metadata.annotations["a b"]']);
  expect(placesIn('ConfigMap', {}, { annotations: { a: 'x'.repeat(262_143) } })).toEqual([]);
  expect(placesIn('ConfigMap', {}, { annotations: { a: 'x'.repeat(262_144) } })).toEqual(['metadata.annotations']);
});

test.each([
  ['a.b-c_D', true],
  ['a'.repeat(253), true],
  ['.hidden', true],
  ['a'.repeat(254), false],
  ['', false],
  ['.', false],
  ['..', false],
  ['..a', false],
  ['a/b', false],
  ['a b', false],
])('key of data %j', (key, valid) => {
  const places = valid ? [] : [expect.stringMatching(/^(data|stringData|binaryData)/)];
  expect(placesIn('ConfigMap', { data: { [key]: '' } })).toEqual(places);
  expect(placesIn('ConfigMap', { binaryData: { [key]: '' } })).toEqual(places);
  expect(placesIn('Secret', { data: { [key]: '' } })).toEqual(places);
  expect(placesIn('Secret', { stringData: { [key]: '' } })).toEqual(places);
});

test('a key stands in data or in binaryData', () => {
  expect(placesIn('ConfigMap', { data: { a: '' }, binaryData: { a: '', b: '' } })).toEqual(['binaryData.a']);
});
