import { describe, expect, test } from 'vitest';
import type { Answer, RetryTerms } from '../../../exchange/exchange.ts';
import { retry } from '../../../policies/traffic/retry.ts';
import type { Retry } from '../../../resources/proxy-policy/fields/retry.ts';
import { ORIGIN, SERVICES } from '../../support/inert.ts';
import { after, answerOf, exchangeOf, textOf, type Given } from '../support/exchange.ts';

async function termsFor(field: Retry, given: Given = {}): Promise<RetryTerms | undefined> {
  const exchange = exchangeOf(given);
  const outcome = await retry.request?.(exchange, retry.compile(field, ORIGIN), SERVICES);
  return outcome === undefined ? undefined : after(exchange, outcome).handover.retry;
}

describe('retry', () => {
  test.each<[Retry, number, number]>([
    [{}, 1, 0],
    [{ attempts: 0 }, 0, 0],
    [{ attempts: 4, backoff: '1s500ms' }, 4, 1500],
    [{ attempts: 100_000 }, 255, 0],
  ])('%j', async (field, retries, backoff) => {
    expect(await termsFor(field)).toMatchObject({ retries, backoff });
  });

  test.each<[string, boolean]>([
    ["request.method == 'POST'", true],
    ["request.method == 'GET'", false],
    ["string(request.body) == 'hello'", true],
    ["request.headers['x-none'] == 'a'", false],
    ["'true'", false],
    ['1 +', false],
  ])('RETRY-001, RETRY-008: precondition %s', async (precondition, enabled) => {
    const terms = await termsFor({ precondition }, { method: 'POST', body: 'hello' });
    expect(terms !== undefined).toBe(enabled);
  });

  test('a precondition that reads the body leaves it to be sent', async () => {
    for (const precondition of ["string(request.body) == 'hello'", "string(request.body) == ''"]) {
      const before = exchangeOf({ method: 'POST', body: 'hello' });
      const outcome = await retry.request?.(before, retry.compile({ precondition }, ORIGIN), SERVICES);
      expect(await textOf(after(before, outcome ?? { kind: 'continue' }).request.body)).toBe('hello');
    }
  });

  test('a condition that reads the body of the answer leaves it to be read', async () => {
    const terms = await termsFor({ condition: 'json(response.body).busy == true && response.code == 200' });
    const judge = async (answer: Answer): Promise<[boolean, string | undefined]> => {
      const judged = await terms?.judge(exchangeOf(), answer);
      return [judged?.again === true, await textOf(judged?.answer.body)];
    };
    expect(await judge(answerOf(200, {}, '{"busy": true}'))).toEqual([true, '{"busy": true}']);
    expect(await judge(answerOf(200, {}, '{"busy": false}'))).toEqual([false, '{"busy": false}']);
    expect(await judge(answerOf(200, {}, 'no json'))).toEqual([false, 'no json']);
  });
});
