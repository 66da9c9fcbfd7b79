import { describe, expect, test } from 'vitest';
import { HeaderMap } from '../../../base/headers.ts';
import type { Body } from '../../../base/body.ts';
import type { Outcome } from '../../../exchange/outcome.ts';
import { buffer } from '../../../policies/traffic/buffer.ts';
import type { Buffer as BufferField } from '../../../resources/proxy-policy/fields/buffer.ts';
import { answerOf, exchangeOf, textOf } from '../support/exchange.ts';
import { ORIGIN, SERVICES } from '../../support/inert.ts';

/** A body of pieces that notes what was asked of it. */
function pieces(
  texts: readonly string[],
  length?: number,
  trailers = HeaderMap.EMPTY,
): { body: Body; seen: { reads: number; cancelled: boolean } } {
  const seen = { reads: 0, cancelled: false };
  const body: Body = {
    read: () => {
      const text = texts[seen.reads];
      seen.reads += 1;
      return Promise.resolve(text === undefined ? undefined : Buffer.from(text));
    },
    cancel: () => {
      seen.cancelled = true;
    },
    length,
    trailers: () => trailers,
  };
  return { body, seen };
}

async function request(field: BufferField, body: Body): Promise<Outcome> {
  const exchange = exchangeOf({ method: 'POST' });
  const held = { ...exchange, request: { ...exchange.request, body } };
  return (await buffer.request?.(held, buffer.compile(field, ORIGIN), SERVICES)) ?? { kind: 'continue' };
}

describe('buffer', () => {
  test('a body within the limit is complete and has a length', async () => {
    const outcome = await request({ request: { maxBytes: 6 } }, pieces(['one', 'two']).body);
    const held = outcome.kind === 'change' ? outcome.request?.body : undefined;
    expect(held?.length).toBe(6);
    expect(await textOf(held)).toBe('onetwo');
  });

  test('a body with trailers keeps them, and has no length', async () => {
    const { body } = pieces(['one', 'two'], undefined, HeaderMap.of([['x-sum', '1']]));
    const outcome = await request({ request: { maxBytes: 6 } }, body);
    const held = outcome.kind === 'change' ? outcome.request?.body : undefined;
    expect(held?.length).toBeUndefined();
    expect(await textOf(held)).toBe('onetwo');
    expect(held?.trailers?.().get('x-sum')).toBe('1');
  });

  test('a declared length over the limit is not waited for', async () => {
    const { body, seen } = pieces(['one', 'two'], 6);
    expect(await request({ request: { maxBytes: 5 } }, body)).toMatchObject({ answer: { status: 413 } });
    expect(seen).toEqual({ reads: 0, cancelled: true });
  });

  test('of a body that turns out too large no more is read than it takes to know', async () => {
    const { body, seen } = pieces(['one', 'two', 'three', 'four']);
    expect(await request({ request: { maxBytes: 5 } }, body)).toMatchObject({ answer: { status: 413 } });
    expect(seen).toEqual({ reads: 2, cancelled: true });
  });

  test('what the proxy answers itself is not measured', async () => {
    const compiled = buffer.compile({ response: { maxBytes: 1 } }, ORIGIN);
    const own = { ...answerOf(403, {}, 'denied'), from: 'failure' } as const;
    expect(await buffer.response?.(exchangeOf(), compiled, own, SERVICES)).toBe(own);
    const upstreams = await buffer.response?.(exchangeOf(), compiled, answerOf(200, {}, 'too much'), SERVICES);
    expect(upstreams).toMatchObject({ status: 502, failure: { code: 'responseTooLarge' } });
  });
});
