import { describe, expect, test } from 'vitest';
import { transformation } from '../../policies/traffic/transformation.ts';
import { directResponse } from '../../policies/traffic/direct-response.ts';
import type { TransformationOrConditional } from '../../resources/proxy-policy/fields/transformation.ts';
import { after, answerOf, exchangeOf, fields, textOf, type Given } from './support/exchange.ts';
import { ORIGIN, SERVICES } from '../support/inert.ts';

const tagged = (value: string) => ({
  request: { set: [{ name: 'x-entry', value: `"${value}"` }] },
  response: { set: [{ name: 'x-entry', value: `"${value}"` }] },
});

/** What request and answer carry after passing the policy. */
async function pass(field: TransformationOrConditional, given: Given): Promise<readonly (string | undefined)[]> {
  const compiled = transformation.compile(field, ORIGIN);
  const before = exchangeOf(given);
  const outcome = await transformation.request?.(before, compiled, SERVICES);
  const now = after(before, outcome ?? { kind: 'continue' });
  const answer = await transformation.response?.(now, compiled, answerOf(200), SERVICES);
  return [now.request.headers.get('x-entry'), answer?.headers.get('x-entry')];
}

describe('conditional', () => {
  const first = { condition: 'request.method == "GET"', policy: tagged('first') };
  const second = { condition: 'request.path == "/api/things"', policy: tagged('second') };
  const failing = { condition: 'request.headers["none"] == "x"', policy: tagged('failing') };
  const number = { condition: '1', policy: tagged('number') };
  const broken = { condition: '1 +', policy: tagged('broken') };
  const fallback = { policy: tagged('fallback') };

  test.each([
    ['first match of two', [first, second], 'GET', 'first'],
    ['second when the first is false', [first, second], 'PUT', 'second'],
    ['fallback when none is true', [first, fallback], 'PUT', 'fallback'],
    ['no entry and no fallback', [first], 'PUT', undefined],
    [
      'a failing, a non-boolean and a broken condition are false',
      [failing, number, broken, fallback],
      'GET',
      'fallback',
    ],
  ])('%s; the response half follows', async (_, conditional, method, entry) => {
    expect(await pass({ conditional }, { method })).toEqual([entry, entry]);
  });

  test('the plain form', async () => {
    expect(await pass(tagged('plain'), {})).toEqual(['plain', 'plain']);
  });

  test('COND-005: each request is asked anew', async () => {
    const compiled = transformation.compile({ conditional: [first, second] }, ORIGIN);
    const entries = await Promise.all(
      ['GET', 'PUT', 'GET'].map(async (method) => {
        const exchange = exchangeOf({ method });
        const outcome = await transformation.request?.(exchange, compiled, SERVICES);
        return after(exchange, outcome ?? { kind: 'continue' }).request.headers.get('x-entry');
      }),
    );
    expect(entries).toEqual(['first', 'second', 'first']);
  });

  test('a condition may read the body, which is still there for the policy and for those after it', async () => {
    const compiled = transformation.compile(
      {
        conditional: [
          {
            condition: 'json(request.body).model == "m"',
            policy: { request: { set: [{ name: 'x-size', value: 'request.body.size()' }] } },
          },
        ],
      },
      ORIGIN,
    );
    const body = '{"model": "m"}';
    const matching = exchangeOf({ method: 'POST', body });
    const now = after(matching, (await transformation.request?.(matching, compiled, SERVICES)) ?? { kind: 'continue' });
    expect(now.request.headers.get('x-size')).toBe('14');
    expect(await textOf(now.request.body)).toBe(body);

    const other = exchangeOf({ method: 'POST', body: '{"model": "n"}' });
    const untouched = after(other, (await transformation.request?.(other, compiled, SERVICES)) ?? { kind: 'continue' });
    expect(fields(untouched.request.headers)).toEqual({});
    expect(await textOf(untouched.request.body)).toBe('{"model": "n"}');
  });

  test('COND-006: an answer of the chosen entry is the outcome', async () => {
    const compiled = directResponse.compile({ conditional: [{ condition: 'true', policy: { status: 204 } }] }, ORIGIN);
    const outcome = await directResponse.request?.(exchangeOf(), compiled, SERVICES);
    expect(outcome).toMatchObject({ kind: 'answer', answer: { status: 204, from: 'policy' } });
  });

  test('metadata a chosen entry learns is kept beside the choice', async () => {
    const policy = { request: { metadata: { a: '1' } }, response: { set: [{ name: 'x', value: 'metadata.a' }] } };
    const compiled = transformation.compile({ conditional: [{ policy }] }, ORIGIN);
    const exchange = exchangeOf({ facts: { metadata: { b: 2 } } });
    const now = after(exchange, (await transformation.request?.(exchange, compiled, SERVICES)) ?? { kind: 'continue' });
    expect(now.facts.metadata).toEqual({ a: 1, b: 2 });
    const answer = await transformation.response?.(now, compiled, answerOf(200), SERVICES);
    expect(answer?.headers.get('x')).toBe('1');
  });
});
