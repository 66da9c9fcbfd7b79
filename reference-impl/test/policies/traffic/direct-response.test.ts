import { describe, expect, test } from 'vitest';
import type { Answer } from '../../../exchange/exchange.ts';
import { directResponse } from '../../../policies/traffic/direct-response.ts';
import type { DirectResponse } from '../../../resources/proxy-policy/fields/direct-response.ts';
import { exchangeOf, fields, textOf, type Given } from '../support/exchange.ts';
import { ORIGIN, SERVICES } from '../../support/inert.ts';

async function answerTo(field: DirectResponse, given: Given = {}): Promise<Answer> {
  const outcome = await directResponse.request?.(exchangeOf(given), directResponse.compile(field, ORIGIN), SERVICES);
  if (outcome?.kind !== 'answer') throw new Error('no answer');
  return outcome.answer;
}

describe('directResponse', () => {
  test.each([
    ['DIRECT-002 a literal body', { status: 418, body: '1 + 1' }, '1 + 1'],
    ['DIRECT-003 a string', { status: 200, bodyExpression: '"a" + "b"' }, 'ab'],
    ['DIRECT-004 bytes', { status: 200, bodyExpression: 'b"\\x00a"' }, '\0a'],
    ['DIRECT-005 another value', { status: 200, bodyExpression: '{"a": [1, true]}' }, '{"a":[1,true]}'],
    ['DIRECT-005 null', { status: 200, bodyExpression: 'null' }, 'null'],
    ['DIRECT-006 from the request', { status: 200, bodyExpression: 'request.path' }, '/api/things'],
    ['DIRECT-006 from its body', { status: 200, bodyExpression: 'json(request.body).a' }, '1'],
    ['no body', { status: 204 }, undefined],
  ])('%s', async (_, field, body) => {
    const answer = await answerTo(field, { method: 'POST', body: '{"a": 1}' });
    expect(answer).toMatchObject({ status: field.status, from: 'policy' });
    expect(fields(answer.headers)).toEqual({});
    expect(await textOf(answer.body)).toBe(body);
  });

  test('DIRECT-007: header values are expressions; one that fails is left out', async () => {
    const headers = [
      { name: 'x-path', value: 'request.path' },
      { name: 'x-none', value: 'jwt.sub' },
      { name: 'x-broken', value: '1 +' },
      { name: 'x-split', value: '"a\\nb"' },
    ];
    expect(fields((await answerTo({ status: 200, headers })).headers)).toEqual({ 'x-path': '/api/things' });
  });

  test.each(['jwt.sub', '1 +'])('a body expression that fails is answered 500: %s', async (bodyExpression) => {
    const answer = await answerTo({ status: 200, bodyExpression });
    expect(answer).toMatchObject({ status: 500, from: 'failure', failure: { code: 'filterFailed' } });
    expect(await textOf(answer.body)).toBe('failed to apply filters');
  });
});
