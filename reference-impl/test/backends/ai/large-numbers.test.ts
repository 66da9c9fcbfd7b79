import { expect, test } from 'vitest';
import { jsonKeepingDigits } from '../../../backends/ai/large-numbers.ts';

test('a whole number keeps its digits, wherever it stands', () => {
  const original = '{"seed":9223372036854775807,"deep":[{"id":-12345678901234567890}],"user":"1234567890123456789"}';
  const value: unknown = JSON.parse(original);
  expect(jsonKeepingDigits(value, original)).toBe(original);
  expect(jsonKeepingDigits({ asked: value, stop: ['z'] }, original)).toContain('"seed":9223372036854775807,');
});

test('other numbers are written as ever', () => {
  const original = '{"temperature":0.12345678901234567890,"seed":42,"large":1e300,"text":"1234567890123456"}';
  const value: unknown = JSON.parse(original);
  expect(jsonKeepingDigits(value, original)).toBe(JSON.stringify(value));
});

test('a number that somebody put there is that number', () => {
  expect(jsonKeepingDigits({ seed: 7 }, '{"seed":9223372036854775807}')).toBe('{"seed":7}');
});
