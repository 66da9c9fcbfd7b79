import { describe, expect, test } from 'vitest';
import { crossAppAccess } from '../../../credentials/oauth/cross-app-access.ts';
import { fields } from '../../policies/support/exchange.ts';
import { ORIGIN } from '../../support/inert.ts';
import { manualClock } from '../../trace/manual-clock.ts';
import { backendRef, endpoints, requestWith, shown, type Question, type Said } from './support.ts';

const FIELD = {
  identityProvider: {
    backendRef: backendRef('tokens'),
    clientAuth: { clientId: 'first', method: 'ClientSecretPost' as const },
  },
  resourceAuthorizationServer: {
    backendRef: backendRef('other'),
    path: '/as',
    clientAuth: { clientId: 'second', secretRef: { name: 's' } },
  },
  audience: 'https://as.test',
  scopes: ['a', 'b'],
  resources: ['https://r.test'],
};
const SECRETS = { s: { clientSecret: 'two' } };
const ALICE = { headers: { authorization: 'Bearer alice' } };
const JAG = {
  access_token: 'jag',
  token_type: 'N_A',
  issued_token_type: 'urn:ietf:params:oauth:token-type:id-jag',
  expires_in: 60,
};

/** Both servers, as they should be unless the test says otherwise. */
function servers(first: Said = {}, second: Said = {}) {
  const clock = manualClock();
  const answer = ({ host }: Question): Said => (host === 'tokens.test' ? { body: JAG, ...first } : second);
  return { clock, ...endpoints(clock, answer) };
}

describe('cross-app access', () => {
  test('asks the identity provider, then the authorization server of the resource', async () => {
    const { clock, services, asked } = servers();
    const request = await shown(crossAppAccess(FIELD, ORIGIN), requestWith(clock, ALICE, SECRETS), services);
    expect(asked.map(({ host, target }) => `${host}${target}`)).toEqual(['tokens.test/', 'other.test/as']);
    expect(Object.fromEntries(asked[0]?.form ?? [])).toEqual({
      grant_type: 'urn:ietf:params:oauth:grant-type:token-exchange',
      subject_token: 'alice',
      subject_token_type: 'urn:ietf:params:oauth:token-type:id_token',
      requested_token_type: 'urn:ietf:params:oauth:token-type:id-jag',
      audience: 'https://as.test',
      scope: 'a b',
      resource: 'https://r.test',
      client_id: 'first',
    });
    expect(Object.fromEntries(asked[1]?.form ?? [])).toEqual({
      grant_type: 'urn:ietf:params:oauth:grant-type:jwt-bearer',
      assertion: 'jag',
      scope: 'a b',
    });
    expect(asked.map(({ authorization }) => authorization)).toEqual([undefined, 'Basic c2Vjb25kOnR3bw==']);
    expect(fields(request.headers)).toEqual({ Authorization: 'Bearer token-2' });
  });

  test('keeps the last token, and for as long as that one says', async () => {
    const { clock, services, asked } = servers();
    const lent = crossAppAccess(FIELD, ORIGIN);
    const ask = (): Promise<unknown> => shown(lent, requestWith(clock, ALICE, SECRETS), services);
    await ask();
    clock.advance(3_584_000);
    await ask();
    expect(asked).toHaveLength(2);
    clock.advance(1_000);
    await ask();
    expect(asked).toHaveLength(4);
  });

  test.each<[string, Said, Said, number]>([
    ['invalidRequest', { status: 400 }, {}, 1],
    ['backendAuthenticationFailed', { status: 401 }, {}, 1],
    ['backendAuthenticationFailed', { status: 503 }, {}, 1],
    ['backendAuthenticationFailed', { body: 'no JSON' }, {}, 1],
    ['backendAuthenticationFailed', { body: { ...JAG, issued_token_type: undefined } }, {}, 1],
    ['backendAuthenticationFailed', { body: { ...JAG, token_type: 'Bearer' } }, {}, 1],
    ['backendAuthenticationFailed', {}, { status: 400 }, 2],
    ['backendAuthenticationFailed', {}, { status: 404 }, 2],
    ['backendAuthenticationFailed', {}, { status: 401 }, 2],
    ['backendAuthenticationFailed', {}, { body: { access_token: 'x', token_type: 'N_A' } }, 2],
  ])('ends with %s for %j and %j', async (code, first, second, times) => {
    const { clock, services, asked } = servers(first, second);
    const sent = shown(crossAppAccess(FIELD, ORIGIN), requestWith(clock, ALICE, SECRETS), services);
    await expect(sent).rejects.toMatchObject({ code });
    expect(asked).toHaveLength(times);
  });

  test('asks nobody without the token of the client, or without the secret of either client', async () => {
    const { clock, services, asked } = servers();
    const lent = crossAppAccess(FIELD, ORIGIN);
    await expect(shown(lent, requestWith(clock, {}, SECRETS), services)).rejects.toMatchObject({
      code: 'invalidRequest',
    });
    await expect(shown(lent, requestWith(clock, ALICE), services)).rejects.toMatchObject({
      code: 'backendAuthenticationFailed',
    });
    expect(asked).toEqual([]);
  });
});
