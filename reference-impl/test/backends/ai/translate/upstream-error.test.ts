import { expect, test } from 'vitest';
import { completions } from '../../../../backends/ai/formats/completions.ts';
import { embeddings } from '../../../../backends/ai/formats/embeddings.ts';
import type { Format } from '../../../../backends/ai/formats/format.ts';
import { messages } from '../../../../backends/ai/formats/messages.ts';
import type { Json } from '../../../../backends/json.ts';
import { isForeignError, translatedError } from '../../../../backends/ai/translate/upstream-error.ts';

const OF_CLOUD_C = { error: { code: 403, message: 'no', status: 'PERMISSION_DENIED' } };

test.each<[Format, Json, boolean]>([
  [completions, { error: { message: 'no', type: 'x' } }, false],
  [completions, { error: { message: 'no', code: 'x' } }, false],
  [completions, OF_CLOUD_C, true],
  [completions, { message: 'no' }, true],
  [completions, { detail: 'no' }, true],
  [completions, { error: 'no' }, true],
  [completions, { anything: 'else' }, false],
  [messages, { type: 'error', error: { type: 'x', message: 'no' } }, false],
  [messages, { error: { type: 'x', message: 'no' } }, true],
  [messages, OF_CLOUD_C, true],
  [embeddings, OF_CLOUD_C, true],
  [embeddings, { message: 'no' }, false],
])('$name: %j is of another format: %s', (format, error, foreign) => {
  expect(isForeignError(format, error)).toBe(foreign);
});

test('an error of the platform has a word of the client', () => {
  const told = { type: 'error', error: { type: 'permission_error', message: 'no' } };
  expect(translatedError(messages, 403, OF_CLOUD_C)).toEqual(told);
});
