import { expect, test } from 'vitest';
import type { Targeted } from '../../../exchange/exchange.ts';
import { CONTINUE, type Outcome } from '../../../exchange/outcome.ts';
import { auth } from '../../../policies/backend/auth.ts';
import type { BackendAuth } from '../../../resources/proxy-policy/fields/auth/backend-auth.ts';
import { BACKEND, ORIGIN, SERVICES } from '../../support/inert.ts';
import { viewWith } from '../../trace/views.ts';
import { exchangeOf } from '../support/exchange.ts';

const OF_SECRET: BackendAuth = { secretRef: { name: 's' } };
const OF_CREDENTIALS: BackendAuth = {
  key: 'k',
  credentials: [{ location: { header: { name: 'x-one' } }, secretRef: { name: 's' } }],
};

test.each([
  ['nothing under the key', ''],
  ['white space under the key', ' \n'],
  ['nothing but the prefix', 'Bearer'],
  ['nothing but the prefix and space', 'bearer  '],
])('with %s of the Secret a request is not sent, and neither is an empty credential (BAUTH-038)', async (_, text) => {
  for (const field of [OF_SECRET, OF_CREDENTIALS]) {
    const sent = headersSent(field, { Authorization: text });
    await expect(sent).rejects.toMatchObject({ code: 'backendAuthenticationFailed' });
    await expect(sent).rejects.toThrow('Secret default/s has no key Authorization');
  }
});

test('under another key the prefix is a credential like any other (BAUTH-006)', async () => {
  const sent = await headersSent({ secretRef: { name: 's', key: 'other' } }, { other: 'Bearer' });
  expect(sent['authorization']).toBe('Bearer Bearer');
});

test('of several credentials for one place the last is sent, and no other (BAUTH-037)', async () => {
  const location = { header: { name: 'x-key' } };
  const credentials = ['one', 'two'].map((key) => ({ location, secretRef: { name: 's', key } }));
  const sent = await headersSent({ key: 'k', location, credentials }, { one: 'secret-1', two: 'secret-2' });
  expect(sent['x-key']).toBe('secret-2');
});

test('a Secret of another namespace is not looked at', async () => {
  const exchange = { ...exchangeOf(), backend: BACKEND, view: viewWith(secret('elsewhere', { Authorization: 'a' })) };
  await expect(request(OF_SECRET, exchange)).rejects.toMatchObject({ code: 'backendAuthenticationFailed' });
});

async function headersSent(
  field: BackendAuth,
  texts: Readonly<Record<string, string>>,
): Promise<Readonly<Record<string, unknown>>> {
  const view = viewWith(secret(ORIGIN.namespace, texts));
  const outcome = await request(field, { ...exchangeOf(), backend: BACKEND, view });
  if (outcome.kind !== 'change' || outcome.request === undefined) throw new Error('the request was not changed');
  return outcome.request.headers.view();
}

/** What the policy throws at once it rejects with, too. */
async function request(field: BackendAuth, exchange: Targeted): Promise<Outcome> {
  return auth.request?.(exchange, auth.compile(field, ORIGIN), SERVICES) ?? CONTINUE;
}

function secret(namespace: string, stringData: Readonly<Record<string, string>>): object {
  return { apiVersion: 'v1', kind: 'Secret', metadata: { namespace, name: 's' }, stringData };
}
