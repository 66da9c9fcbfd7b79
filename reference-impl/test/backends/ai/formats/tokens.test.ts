import { expect, test } from 'vitest';
import { completions } from '../../../../backends/ai/formats/completions.ts';
import { messages } from '../../../../backends/ai/formats/messages.ts';
import { countTokens } from '../../../../backends/ai/formats/tokens.ts';

const said = (...texts: readonly string[]): { messages: { role: string; content: string }[] } => ({
  messages: texts.map((content) => ({ role: 'user', content })),
});

test('3 for the reply, 4 per message, and the text in the vocabulary of the model', async () => {
  expect(await countTokens(completions, said(), 'm')).toBe(3);
  expect(await countTokens(completions, said('hello world'), 'm')).toBe(9);
  expect(await countTokens(completions, said('hello world', 'hello world'), 'm')).toBe(15);
  expect(await countTokens(messages, { ...said('hello world'), system: 'hello world' }, 'm')).toBe(15);
});

test('newer models have another vocabulary', async () => {
  const japanese = said('こんにちは世界');
  const [older, newer] = [
    await countTokens(completions, japanese, 'gpt-4'),
    await countTokens(completions, japanese, 'gpt-4o'),
  ];
  expect(newer).toBeLessThan(older);
});

test('a control token is text', async () => {
  expect(await countTokens(completions, said('<|endoftext|>'), 'm')).toBeGreaterThan(8);
});

test('a long word does not take long', async () => {
  const began = process.cpuUsage();
  expect(await countTokens(completions, said('a'.repeat(400_000)), 'm')).toBeGreaterThan(40_000);
  expect(process.cpuUsage(began).user / 1000).toBeLessThan(5000);
});
