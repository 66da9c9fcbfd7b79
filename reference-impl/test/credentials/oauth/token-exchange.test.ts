import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { ProxyError } from '../../../base/proxy-error.ts';
import { tokenExchange } from '../../../credentials/oauth/token-exchange.ts';
import type { LentCredential } from '../../../credentials/lent-credential.ts';
import type { OAuthTokenExchange } from '../../../resources/proxy-policy/fields/auth/oauth.ts';
import { fields } from '../../policies/support/exchange.ts';
import { ORIGIN } from '../../support/inert.ts';
import { manualClock } from '../../trace/manual-clock.ts';
import { backendRef, endpoints, jwt, requestWith, shown, type Said } from './support.ts';

const lasting = (expires_in: unknown): Said => ({ body: { access_token: 't', token_type: 'Bearer', expires_in } });
const kept = (inMemory: object): Partial<OAuthTokenExchange> => ({ cache: { inMemory } });
const ALICE = { headers: { authorization: 'Bearer alice' } };

function exchanging(field: Partial<OAuthTokenExchange> = {}): LentCredential {
  return tokenExchange({ backendRef: backendRef('tokens'), ...field }, ORIGIN);
}

/** What is asked for a request of alice, and what the backend sees. */
async function outcome(field: Partial<OAuthTokenExchange>, given: Parameters<typeof requestWith>[1] = ALICE) {
  const clock = manualClock();
  const { services, asked } = endpoints(clock);
  const request = await shown(exchanging(field), requestWith(clock, given), services);
  return { form: asked[0]?.form.toString(), target: asked[0]?.target, sent: fields(request.headers), request };
}

/** The failure of a request of alice when the endpoint says this. */
async function failure(field: Partial<OAuthTokenExchange>, said: Said): Promise<string> {
  const clock = manualClock();
  const { services } = endpoints(clock, () => said);
  const error: unknown = await shown(exchanging(field), requestWith(clock, ALICE), services).catch(
    (reason: unknown) => reason,
  );
  return error instanceof ProxyError ? `${error.code}: ${error.detail ?? ''}` : String(error);
}

describe('the question', () => {
  test('has its parameters in the order of RFC 8693', async () => {
    const { form, target } = await outcome(
      {
        path: '/token',
        subjectToken: { tokenType: 'urn:x:y' },
        actorToken: { source: { header: { name: 'x-actor' } } },
        requestedTokenType: 'AccessToken',
        audiences: ['a', 'b c'],
        scopes: ['s', 't'],
        resources: ['https://r.test/?a=b'],
        additionalParams: { z: "'1'", b: '2', y: 'true' },
      },
      { headers: { authorization: 'Bearer alice', 'x-actor': 'bob' } },
    );
    expect(target).toBe('/token');
    expect(form?.replaceAll('urn%3Aietf%3Aparams%3Aoauth%3A', '…')).toBe(
      [
        'grant_type=…grant-type%3Atoken-exchange&subject_token=alice&subject_token_type=urn%3Ax%3Ay',
        'actor_token=bob&actor_token_type=…token-type%3Aaccess_token&requested_token_type=…token-type%3Aaccess_token',
        'audience=a&audience=b+c&scope=s+t&resource=https%3A%2F%2Fr.test%2F%3Fa%3Db&b=2&y=true&z=1',
      ].join('&'),
    );
  });

  test('of a jwt-bearer grant has neither types nor an actor', async () => {
    const { form } = await outcome({ grantType: 'JwtBearer', requestedTokenType: 'Jwt', scopes: ['s'] });
    expect(form).toBe('grant_type=urn%3Aietf%3Aparams%3Aoauth%3Agrant-type%3Ajwt-bearer&assertion=alice&scope=s');
  });

  test.each(['client_id', 'subject_token', 'assertion', 'scope'])('is not asked with a second %s', async (name) => {
    expect(await failure({ additionalParams: { [name]: "'x'" } }, {})).toBe(
      `backendAuthenticationFailed: additionalParams cannot set ${name}`,
    );
  });

  test.each(['1 / 0', 'null', '[1]', 'nobody.knows'])('is not asked when a parameter is %s', async (expression) => {
    expect(await failure({ additionalParams: { a: expression } }, {})).toBe('invalidRequest: ');
  });
});

describe('the tokens of the client', () => {
  test('are taken from their places, and the new one is put where it belongs', async () => {
    const { request, sent } = await outcome(
      {
        subjectToken: { source: { queryParameter: { name: 'token' } } },
        actorToken: { source: { cookie: { name: 'actor' } } },
        location: { header: { name: 'x-token', prefix: 'T ' } },
      },
      { target: '/p?a=1&token=alice', headers: { cookie: 'actor=bob; b=2', authorization: 'Basic stays' } },
    );
    expect(request.target).toBe('/p?a=1');
    expect(sent).toEqual({ cookie: 'b=2', authorization: 'Basic stays', 'x-token': 'T token-1' });
  });

  test.each([{}, { headers: { authorization: 'Basic alice' } }, { headers: { authorization: 'Bearer ' } }])(
    'are missed in %j',
    async (given) => {
      await expect(outcome({}, given)).rejects.toMatchObject({ code: 'invalidRequest' });
    },
  );

  test('count as shown when a policy has checked and taken them away, and only then', async () => {
    const clock = manualClock();
    const { services, asked } = endpoints(clock);
    const checked = requestWith(clock, { handover: { acceptedToken: 'alice' } });
    const asAsked = requestWith(clock, ALICE).request;
    await shown(exchanging(), { ...checked, asked: asAsked }, services);
    expect(asked[0]?.form.get('subject_token')).toBe('alice');
    const other = { ...checked, asked: asAsked, handover: { acceptedToken: 'of another place' } };
    await expect(shown(exchanging(), other, services)).rejects.toMatchObject({ code: 'invalidRequest' });
    await expect(shown(exchanging(), { ...other, handover: {} }, services)).rejects.toMatchObject({
      code: 'invalidRequest',
    });
  });
});

describe('an answer', () => {
  const good = { access_token: 't', token_type: 'bEARER' };
  const jag = 'urn:ietf:params:oauth:token-type:id-jag';
  test.each<[string, Partial<OAuthTokenExchange>, Said]>([
    ['invalidRequest: ', {}, { status: 400, body: { error: 'invalid_grant' } }],
    ['invalidRequest: ', {}, { status: 404, body: '' }],
    ['invalidRequest: ', {}, { status: 429, body: '' }],
    ['token exchange returned status 401 invalid_client', {}, { status: 401, body: { error: 'invalid_client' } }],
    ['token exchange returned status 403', {}, { status: 403, body: { error: 'alice' } }],
    ['token exchange returned status 302', {}, { status: 302, body: good }],
    ['token exchange returned status 503', {}, { status: 503, body: good }],
    ['token exchange response decode failed', {}, { body: 'no JSON' }],
    ['token exchange response decode failed', {}, { body: { ...good, access_token: 1 } }],
    ['token exchange response contained an empty access_token', {}, { body: { ...good, access_token: '' } }],
    ['token exchange response missing token_type', {}, { body: { access_token: 't' } }],
    ['token exchange returned unsupported token_type', {}, { body: { ...good, token_type: 'MAC' } }],
    ['token exchange returned unsupported token_type', {}, { body: { ...good, token_type: 'N_A' } }],
    [
      'token exchange returned unsupported token_type',
      { requestedTokenType: 'AccessToken' },
      { body: { ...good, token_type: 'N_A' } },
    ],
    [
      'token exchange returned unsupported token_type',
      { requestedTokenType: 'IdJag' },
      { body: { ...good, issued_token_type: jag } },
    ],
    [
      'token exchange returned another issued_token_type',
      { requestedTokenType: 'IdJag' },
      { body: { ...good, token_type: 'N_A' } },
    ],
    [
      'token exchange returned another issued_token_type',
      { requestedTokenType: 'Jwt' },
      { body: { ...good, issued_token_type: jag } },
    ],
  ])('ends the request: %s', async (expected, field, said) => {
    const text = await failure(field, said);
    expect(text).toBe(expected.startsWith('token') ? `backendAuthenticationFailed: ${expected}` : expected);
    expect(text).not.toContain('alice');
  });

  test.each<[OAuthTokenExchange['requestedTokenType'], object]>([
    [undefined, { ...good, issued_token_type: 'anything' }],
    ['AccessToken', good],
    ['Jwt', { ...good, token_type: 'N_A' }],
    ['IdJag', { ...good, token_type: 'n_a', issued_token_type: jag }],
  ])('for %s is taken', async (requestedTokenType, body) => {
    const clock = manualClock();
    const { services } = endpoints(clock, () => ({ body }));
    const field = requestedTokenType === undefined ? {} : { requestedTokenType };
    const request = await shown(exchanging(field), requestWith(clock, ALICE), services);
    expect(fields(request.headers)).toEqual({ Authorization: 'Bearer t' });
  });

  test('that never comes ends the request after ten seconds, and nobody else waits for it', async () => {
    const clock = manualClock();
    const { services, asked } = endpoints(clock, (_, number) => (number === 1 ? new Promise(() => {}) : {}));
    const waiting = shown(exchanging(), requestWith(clock, ALICE), services);
    const failed = expect(waiting).rejects.toMatchObject({ code: 'backendAuthenticationFailed' });
    await turn();
    clock.advance(10_000);
    await failed;
    await shown(exchanging(), requestWith(clock, ALICE), services);
    expect(asked).toHaveLength(2);
  });

  test('is not waited for by a client that is gone', async () => {
    const clock = manualClock();
    const { services } = endpoints(clock, () => new Promise(() => {}));
    const exchange = requestWith(clock, ALICE);
    const waiting = shown(exchanging(), exchange, services);
    const gone = new ProxyError('clientGone');
    exchange.cancellation.cancel(gone);
    await expect(waiting).rejects.toBe(gone);
  });
});

describe('a token', () => {
  /** How often the endpoint is asked for two requests with so many seconds between them. */
  async function askedTwice(seconds: number, field: Partial<OAuthTokenExchange>, said: Said, given = ALICE) {
    const clock = manualClock();
    const { services, asked } = endpoints(clock, () => said);
    const lent = exchanging(field);
    await shown(lent, requestWith(clock, given), services);
    clock.advance(seconds * 1000);
    await shown(lent, requestWith(clock, given), services);
    return asked.length;
  }

  test.each<[number, number, Partial<OAuthTokenExchange>, unknown]>([
    [284, 1, {}, undefined],
    [285, 2, {}, undefined],
    [284, 1, {}, null],
    [3584, 1, {}, 3600],
    [3585, 2, {}, 3600],
    [44, 1, kept({ defaultTtl: '1m' }), undefined],
    [45, 2, kept({ defaultTtl: '1m' }), undefined],
    [45, 1, kept({ defaultTtl: '1m' }), 61],
    [0, 2, {}, 15],
    [0, 1, {}, 16],
    [0, 2, {}, 0],
    [0, 2, {}, -1],
    [0, 2, {}, '3600'],
    [0, 2, kept({ maxEntries: 0 }), 3600],
    [0, 1, kept({ maxEntries: 1 }), 3600],
  ])('after %i s is asked for %i times (%j, expires_in %j)', async (seconds, times, field, expiresIn) => {
    expect(await askedTwice(seconds, field, lasting(expiresIn))).toBe(times);
  });

  test.each([
    [84, 1],
    [85, 2],
  ])('for a subject that ends in 100 s is asked for after %i s %i times', async (seconds, times) => {
    const given = { headers: { authorization: `Bearer ${await jwt({ exp: 100 })}` } };
    expect(await askedTwice(seconds, {}, lasting(3600), given)).toBe(times);
  });

  test('is not kept when it could not be had', async () => {
    const clock = manualClock();
    const { services, asked } = endpoints(clock, (_, number) => (number === 1 ? { status: 503 } : {}));
    await expect(shown(exchanging(), requestWith(clock, ALICE), services)).rejects.toMatchObject({
      code: 'backendAuthenticationFailed',
    });
    await shown(exchanging(), requestWith(clock, ALICE), services);
    expect(asked).toHaveLength(2);
  });

  test.each<[string, Partial<OAuthTokenExchange>, Parameters<typeof requestWith>[1]]>([
    ['subject', {}, { headers: { authorization: 'Bearer bob' } }],
    ['type', { subjectToken: { tokenType: 'Jwt' } }, ALICE],
    ['path', { path: '/other' }, ALICE],
    ['endpoint', { backendRef: backendRef('other') }, ALICE],
    ['audience', { audiences: ['a'] }, ALICE],
    ['parameter', { additionalParams: { a: 'request.method' } }, ALICE],
    ['grant', { grantType: 'JwtBearer' }, ALICE],
    ['client', { clientAuth: { clientId: 'c', method: 'ClientSecretPost' } }, ALICE],
  ])('is not used for another %s', async (_, field, given) => {
    const clock = manualClock();
    const { services, asked } = endpoints(clock);
    await shown(exchanging(), requestWith(clock, ALICE), services);
    await shown(exchanging(field), requestWith(clock, given), services);
    expect(asked).toHaveLength(2);
  });

  test('is asked for again when the secret of the client changes', async () => {
    const clock = manualClock();
    const { services, asked } = endpoints(clock);
    const lent = exchanging({ clientAuth: { clientId: 'c', secretRef: { name: 's' } } });
    for (const clientSecret of ['one', 'one', 'two'])
      await shown(lent, requestWith(clock, ALICE, { s: { clientSecret } }), services);
    expect(asked.map(({ authorization }) => authorization)).toEqual([basic('c:one'), basic('c:two')]);
    await expect(shown(lent, requestWith(clock, ALICE, {}), services)).rejects.toMatchObject({
      code: 'backendAuthenticationFailed',
    });
  });

  test('is asked for once by a thousand requests at the same time', async () => {
    const clock = manualClock();
    const { services, asked } = endpoints(clock);
    const lent = exchanging();
    const requests = Array.from({ length: 1_000 }, () => shown(lent, requestWith(clock, ALICE), services));
    const sent = (await Promise.all(requests)).map(({ headers }) => headers.get('authorization'));
    expect(asked).toHaveLength(1);
    expect(new Set(sent)).toEqual(new Set(['Bearer token-1']));
  });

  test('is never that of another client, whoever comes when and whatever is pushed out', async () => {
    const client = fc.constantFrom('a', 'b', 'c', 'd');
    const step = fc.record({ client, seconds: fc.nat(400), together: fc.nat(3), fails: fc.boolean() });
    await fc.assert(
      fc.asyncProperty(fc.nat(3), fc.array(step, { maxLength: 25 }), async (maxEntries, steps) => {
        const clock = manualClock();
        let fails = false;
        const { services } = endpoints(clock, ({ form }, number) =>
          fails
            ? { status: 503 }
            : { body: { access_token: `${form.get('subject_token')}-${number}`, token_type: 'Bearer' } },
        );
        const lent = exchanging({ cache: { inMemory: { maxEntries } } });
        const ask = async (name: string): Promise<void> => {
          const exchange = requestWith(clock, { headers: { authorization: `Bearer ${name}` } });
          const request = await shown(lent, exchange, services).catch(() => undefined);
          if (request !== undefined) expect(request.headers.get('authorization')).toMatch(`Bearer ${name}-`);
        };
        for (const { client: first, seconds, together, fails: now } of steps) {
          fails = now;
          await Promise.all([first, ...['a', 'b', 'c'].slice(0, together)].map(ask));
          clock.advance(seconds * 1000);
        }
      }),
      { numRuns: 60 },
    );
  });
});

describe('an actor', () => {
  const field: Partial<OAuthTokenExchange> = {
    actorToken: { source: { header: { name: 'x-actor' } }, mayAct: 'Required' },
  };
  test.each([
    [{ sub: 'svc' }, { sub: 'svc', aud: 'x' }],
    [
      { sub: 'svc', iss: 'i' },
      { iss: 'i', sub: 'svc' },
    ],
    [{ groups: ['a', 'b'] }, { groups: ['a', 'b'] }],
  ])('that may_act %j names is let act: %j', async (allowed, actor) => {
    const { form } = await outcome(field, await shownBy({ may_act: allowed }, actor));
    expect(form).toContain('actor_token=');
  });

  test.each([
    [{}, { sub: 'svc' }],
    [{ may_act: {} }, { sub: 'svc' }],
    [{ may_act: 'svc' }, { sub: 'svc' }],
    [{ may_act: ['svc'] }, { 0: 'svc' }],
    [{ may_act: null }, { sub: 'svc' }],
    [{ may_act: { sub: 'other' } }, { sub: 'svc' }],
    [{ may_act: { sub: 'svc', iss: 'i' } }, { sub: 'svc' }],
  ])('is refused by a subject with %j: %j', async (subject, actor) => {
    await expect(outcome(field, await shownBy(subject, actor))).rejects.toMatchObject({ code: 'authorizationFailed' });
  });

  test('is refused when one of the tokens cannot be read', async () => {
    const good = await shownBy({ may_act: { sub: 'svc' } }, { sub: 'svc' });
    for (const name of ['authorization', 'x-actor'] as const) {
      const opaque = { headers: { ...good.headers, [name]: name === 'x-actor' ? 'opaque' : 'Bearer opaque' } };
      await expect(outcome(field, opaque)).rejects.toMatchObject({ code: 'authorizationFailed' });
    }
  });

  test('that is missing ends the request', async () => {
    await expect(outcome(field)).rejects.toMatchObject({ code: 'invalidRequest' });
  });
});

function turn(): Promise<void> {
  return new Promise((resolve) => void setImmediate(resolve));
}

function basic(pair: string): string {
  return `Basic ${Buffer.from(pair).toString('base64')}`;
}

async function shownBy(subject: object, actor: object): Promise<{ readonly headers: Record<string, string> }> {
  return {
    headers: { authorization: `Bearer ${await jwt({ ...subject })}`, 'x-actor': await jwt({ ...actor }) },
  };
}
