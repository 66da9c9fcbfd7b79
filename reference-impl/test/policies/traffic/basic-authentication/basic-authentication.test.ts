import { expect, test } from 'vitest';
import { basicAuthentication } from '../../../../policies/traffic/basic-authentication/basic-authentication.ts';
import type { BasicAuthentication } from '../../../../resources/proxy-policy/fields/basic-authentication.ts';
import { ORIGIN, SERVICES } from '../../../support/inert.ts';
import { exchangeOf } from '../../support/exchange.ts';

async function challenge(field: Omit<BasicAuthentication, 'users'>, headers = {}): Promise<string | undefined> {
  const policy = basicAuthentication.compile({ users: ['ada:x'], ...field }, ORIGIN);
  const outcome = await basicAuthentication.request?.(exchangeOf({ headers }), policy, SERVICES);
  return outcome?.kind === 'answer' ? outcome.answer.headers.get('www-authenticate') : undefined;
}

test.each([
  [undefined, 'Basic realm="Restricted"'],
  ['Back office', 'Basic realm="Back office"'],
  ['', 'Basic realm=""'],
  ['a "b" \\c', 'Basic realm="a \\"b\\" \\\\c"'],
  ['a\r\nSet-Cookie: b=c', 'Basic realm="a  Set-Cookie: b=c"'],
  ['Büro', `Basic realm="${Buffer.from('Büro').toString('latin1')}"`],
])('BASIC-006: the realm %j stands in a quoted string', async (realm, expected) => {
  expect(await challenge(realm === undefined ? {} : { realm })).toBe(expected);
});

test('A-001: whoever shows something else than credentials is refused under Optional too', async () => {
  expect(await challenge({ mode: 'Optional' })).toBeUndefined();
  expect(await challenge({ mode: 'Optional' }, { authorization: 'Basic ***' })).toBe('Basic realm="Restricted"');
  expect(await challenge({ mode: 'Optional' }, { authorization: 'Basic YWRhOng=' })).toBe('Basic realm="Restricted"');
});
