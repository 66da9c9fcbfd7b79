import { expect, test } from 'vitest';
import { z } from 'zod';
import { findsBelow, findsNoteBelow } from '../../admission/schema-tree.ts';
import { noted } from '../../resources/notes.ts';

const old = noted(z.string(), { deprecated: 'use another' });

test.each([
  ['a member', z.object({ a: old })],
  ['an optional member of a member', z.object({ a: z.object({ b: old.optional() }).optional() })],
  ['a member under a union', z.object({ a: z.union([z.string(), z.object({ b: old })]) })],
  ['an item of a list', z.object({ a: z.array(z.object({ b: old })) })],
  ['a value of a record', z.object({ a: z.record(z.string(), z.object({ b: old })) })],
])('a note is found below %s', (_, schema) => {
  expect(findsNoteBelow('deprecated')(schema)).toBe(true);
});

test('a note of another kind, or on the schema itself, is not below it', () => {
  expect(findsNoteBelow('translation')(z.object({ a: old }))).toBe(false);
  expect(findsNoteBelow('deprecated')(old)).toBe(false);
});

test('what is known of a schema is not asked again', () => {
  let asked = 0;
  const finds = findsBelow(() => {
    asked += 1;
    return false;
  });
  const schema = z.object({ a: z.string(), b: z.array(z.number()) });
  expect([finds(schema), finds(schema), asked]).toEqual([false, false, 3]);
});
