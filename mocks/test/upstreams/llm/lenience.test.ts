import { expect, test } from 'vitest';
import { converseProblem } from '../../../upstreams/llm/formats/converse/request.ts';
import { messagesProblem } from '../../../upstreams/llm/formats/messages/request.ts';

// What real providers take, though it looks odd.

const use = (id: string): object => ({ type: 'tool_use', id, name: 'f', input: {} });
const result = (id: string): object => ({ type: 'tool_result', tool_use_id: id, content: 'x' });

function messages(...turns: readonly (readonly [role: string, content: unknown])[]): string | undefined {
  const request = { model: 'm', max_tokens: 9, messages: turns.map(([role, content]) => ({ role, content })) };
  return messagesProblem(request)?.message;
}

test('results may be spread over turns of the user that follow each other', () => {
  const asked = [
    ['user', 'hi'],
    ['assistant', [use('a'), use('b')]],
  ] as const;
  expect(messages(...asked, ['user', [result('a')]], ['user', [result('b')]], ['user', 'and now'])).toBeUndefined();
  expect(messages(...asked, ['user', [result('a')]], ['assistant', 'x'], ['user', [result('b')]])).toContain('without');
  expect(messages(...asked, ['user', [result('a')]], ['user', 'and now'], ['user', [result('b')]])).toContain('first');
});

test('members of Converse that are not there may be null', () => {
  const request = { messages: [{ role: 'user', content: [{ text: 'hi' }] }], system: null, toolConfig: null };
  const inferenceConfig = { maxTokens: null, temperature: 0.5 };
  expect(converseProblem({ ...request, inferenceConfig, guardrailConfig: null })).toBeUndefined();
});
