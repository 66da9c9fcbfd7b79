import { expect, test } from 'vitest';
import { urlRewrite } from '../../../policies/traffic/url-rewrite.ts';
import { after, exchangeOf } from '../support/exchange.ts';
import { SERVICES } from '../../support/inert.ts';

test.each([
  [{ hostname: 'o.test' }, 'o.test', '/api/things?q=1'],
  [{ path: { type: 'ReplacePrefixMatch', replacePrefixMatch: '/v2' } }, 'h.test:3000', '/v2/things?q=1'],
  [{ hostname: 'o.test', path: { type: 'ReplaceFullPath', replaceFullPath: '/x' } }, 'o.test', '/x?q=1'],
] as const)('urlRewrite %j', async (filter, authority, target) => {
  const exchange = exchangeOf();
  const now = after(exchange, (await urlRewrite.request?.(exchange, filter, SERVICES)) ?? { kind: 'continue' });
  expect(now.request).toMatchObject({ authority, target });
});

test('urlRewrite of a prefix on a rule without prefix is answered 500', async () => {
  const exchange = exchangeOf();
  const exact = { ...exchange, rule: { ...exchange.rule, matchedPrefix: undefined } };
  const outcome = await urlRewrite.request?.(
    exact,
    {
      path: { type: 'ReplacePrefixMatch', replacePrefixMatch: '/v2' },
    },
    SERVICES,
  );
  expect(outcome).toMatchObject({ kind: 'answer', answer: { status: 500, failure: { code: 'filterFailed' } } });
});
