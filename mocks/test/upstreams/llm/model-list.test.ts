import { expect, test } from 'vitest';
import { provider } from './support.ts';

const OPEN_AI = { authorization: 'Bearer k' };
const MESSAGES = { 'x-api-key': 'k', 'anthropic-version': '2023-06-01' };

test.each([
  ['ModelList', OPEN_AI, { object: 'list', data: [{ id: 'm-1', object: 'model' }] }],
  ['MessagesModelList', MESSAGES, { data: [{ id: 'm-1', type: 'model' }], has_more: false, first_id: 'm-1' }],
])('%s is read with GET', async (format, headers, list) => {
  const mock = await provider({ format, key: 'k', reply: { model: 'm-1' } });
  const url = `http://${mock.host}:${mock.port}/v1/models`;
  const answer = await fetch(url, { headers });
  expect(answer.status).toBe(200);
  expect(await answer.json()).toMatchObject(list);
  expect((await fetch(url, { method: 'POST', headers, body: '{}' })).status).toBe(405);
  expect((await fetch(url, { headers: format === 'ModelList' ? MESSAGES : OPEN_AI })).status).toBeGreaterThanOrEqual(
    400,
  );
});
