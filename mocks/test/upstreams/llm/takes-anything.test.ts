import { expect, test } from 'vitest';
import { post, provider } from './support.ts';

test('any path, credential and body gets a whole answer of the first format', async () => {
  const mock = await provider({
    format: ['Completions', 'Messages'],
    key: 'k',
    takes: 'anything',
    reply: { text: 'hi' },
  });
  const answer = await post(mock, '/their/own', { a: 1 }, {});
  expect(answer.status).toBe(200);
  expect(await answer.json()).toMatchObject({ object: 'chat.completion', choices: [{ message: { content: 'hi' } }] });
  expect(await (await post(mock, '/v1/messages', [], {})).json()).toMatchObject({ type: 'message' });
});

test('every stream has its tokens, asked for or not', async () => {
  const mock = await provider({ format: 'Completions', takes: 'anything', reply: { usage: { input: 3, output: 4 } } });
  const text = await (await post(mock, '/', { stream: true })).text();
  expect(text).toContain('"total_tokens":7');
});

test('members are laid over those of the document, at any depth', async () => {
  const reply = { text: 'hi', usage: { input: 3, output: 4 }, with: { usage: { more: { a: 1 } }, beyond: [1] } };
  const mock = await provider({ format: 'Messages', takes: 'anything', reply });
  expect(await (await post(mock, '/v1/messages', {})).json()).toMatchObject({
    usage: { input_tokens: 3, more: { a: 1 } },
    beyond: [1],
  });
});
