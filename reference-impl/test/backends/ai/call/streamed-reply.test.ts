import { expect, test } from 'vitest';
import { streamedReply } from '../../../../backends/ai/call/streamed-reply.ts';

const choice = (index: number, delta: object): object => ({ choices: [{ index, delta }] });
const call = (index: number, given: object): object => ({ tool_calls: [{ index, function: given }] });

test('choices and their calls are kept apart', () => {
  const reply = streamedReply('completions');
  for (const event of [
    choice(0, { content: 'a' }),
    choice(1, { content: 'x' }),
    choice(0, { content: 'b' }),
    choice(1, call(0, { name: 'f', arguments: '{' })),
    choice(1, call(0, { arguments: '}' })),
  ]) {
    reply?.event({ ...event });
  }
  expect(reply?.completion()).toEqual(['ab', 'x']);
  expect(reply?.toolCalls()).toEqual([{ id: '', name: 'f', arguments: '{}' }]);
});

test('an endless stream does not fill the memory', () => {
  const reply = streamedReply('completions');
  const megabyte = 'x'.repeat(1024 * 1024);
  for (let turn = 0; turn < 10; turn += 1) reply?.event({ choices: [{ delta: { content: megabyte } }] });
  expect(reply?.completion()[0]?.length).toBe(4 * 1024 * 1024);
});

test('what is no event of the format says nothing', () => {
  for (const format of ['completions', 'messages', 'responses'] as const) {
    const reply = streamedReply(format);
    for (const event of [{}, { choices: 1 }, { choices: [1] }, { delta: 'x' }, { type: 'response.output_item.added' }])
      reply?.event(event);
    expect(reply?.completion()).toEqual([]);
    expect(reply?.toolCalls()).toEqual([]);
  }
  expect(streamedReply('embeddings')).toBeUndefined();
});
