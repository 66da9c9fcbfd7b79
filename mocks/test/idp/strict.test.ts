import { createHmac, generateKeyPairSync } from 'node:crypto';
import { decodeJwt, SignJWT, UnsecuredJWT } from 'jose';
import supertest from 'supertest';
import { describe, expect, test } from 'vitest';
import type { Mock } from '../../mock.ts';
import { start } from '../support/start.ts';
import {
  ask,
  ASSERTION_TYPE,
  basic,
  BEARER,
  exchange,
  EXCHANGE,
  shownBy,
  TYPE,
  type Form,
} from '../support/token-question.ts';

/*
 * What RFC 6749, 7521, 7523 and 8693 forbid, one row each: the question that is right is answered, and the one that is wrong in one
 * place is refused. What a proxy sends to an endpoint that is not this strict proves little.
 */

/** A token of the mock, by what is special about it; a text stands for itself. */
type Shown = string | Readonly<Record<string, unknown>>;

async function minted(mock: Mock, shown: Shown): Promise<string> {
  if (typeof shown === 'string') return shown;
  const here = String(mock.variables?.['issuer']);
  const spec: unknown = JSON.parse(JSON.stringify(shown).replaceAll(HERE, here));
  return String(await mock.mint?.(spec));
}

/** Stands for the mock's own name in tables, which are older than the mock. */
const HERE = 'https://here.invalid';

describe('RFC 6749: a question to the endpoint', () => {
  const client = { id: 'a:b', secret: 's p' };
  const asked = { grant_type: 'client_credentials' };
  const right = basic('a%3Ab:s+p');
  const pair = Buffer.from('a%3Ab:s+p').toString('base64');

  test.each<[string, number, string | undefined, Form, Readonly<Record<string, string>>, string?]>([
    ['2.3.1: the client in the header', 200, undefined, asked, right],
    ['2.3.1: the scheme in any case', 200, undefined, asked, { authorization: `bAsIc ${pair}` }],
    ['2.3.1: halves that are not encoded', 401, 'invalid_client', asked, basic('a:b:s p')],
    ['2.3.1: an encoding that is no base64', 401, 'invalid_client', asked, { authorization: 'Basic a:b' }],
    ['2.3.1: no colon', 401, 'invalid_client', asked, basic('a%3Ab')],
    ['2.3.1: another secret', 401, 'invalid_client', asked, basic('a%3Ab:s')],
    ['2.3.1: another client', 401, 'invalid_client', asked, basic('c:s+p')],
    ['2.3.1: another scheme', 401, 'invalid_client', asked, { authorization: `Bearer ${pair}` }],

    ['2.3.1: the client in the form', 200, undefined, { ...asked, client_id: 'a:b', client_secret: 's p' }, {}],
    ['2.3.1: the secret alone', 401, 'invalid_client', { ...asked, client_secret: 's p' }, {}],
    ['2.3.1: the name alone', 401, 'invalid_client', { ...asked, client_id: 'a:b' }, {}],
    ['2.3.1: nothing', 401, 'invalid_client', asked, {}],
    ['2.3.1: the secret in the URI', 400, 'invalid_request', asked, right, '/token?client_id=a:b&client_secret=s+p'],
    ['2.3: two ways at once', 400, 'invalid_request', { ...asked, client_id: 'a:b', client_secret: 's p' }, right],
    ['2.3: the same client in header and form', 200, undefined, { ...asked, client_id: 'a:b' }, right],
    ['2.3: two clients', 400, 'invalid_request', { ...asked, client_id: 'c' }, right],
    ['3.2: a parameter twice', 400, 'invalid_request', { ...asked, scope: ['a', 'b'] }, right],
    ['3.2: another type of body', 400, 'invalid_request', asked, { ...right, 'content-type': 'text/plain' }],
    ['3.3: scopes', 200, undefined, { ...asked, scope: 'a b:c/d' }, right],
    ['3.3: an empty scope', 400, 'invalid_scope', { ...asked, scope: '' }, right],
    ['3.3: two spaces', 400, 'invalid_scope', { ...asked, scope: 'a  b' }, right],
    ['3.3: a quote', 400, 'invalid_scope', { ...asked, scope: 'a"b' }, right],
    ['4: no grant', 400, 'invalid_request', {}, right],
    ['4: an empty grant', 400, 'unsupported_grant_type', { grant_type: '' }, right],
    ['4: another grant', 400, 'unsupported_grant_type', { grant_type: 'password' }, right],
    [
      '4: a grant by a name that is not its URI',
      400,
      'unsupported_grant_type',
      { grant_type: 'token-exchange' },
      right,
    ],
    ['4.4: a client that proves nothing', 400, 'unauthorized_client', { ...asked, client_id: 'public' }, {}],
  ])('%s has status %i', async (_, status, error, form, headers, target = '/token') => {
    const mock = await start({ kind: 'idp', clients: [client, { id: 'public' }] });
    const said = await ask(mock, form, headers, target);
    expect([said.status, said.body['error']]).toEqual([status, error]);
    // Sections 5.1 and 5.2
    expect(said.headers['cache-control']).toBe(status === 200 ? 'no-store' : undefined);
    expect(said.headers['www-authenticate']).toBe(status === 401 ? 'Basic realm="tokens"' : undefined);
  });

  test.each(['get', 'put', 'head'] as const)('3.2: by %s is none', async (method) => {
    const mock = await start({ kind: 'idp' });
    const server = supertest(`http://${mock.host}:${mock.port}`);
    await server[method](`/token?${new URLSearchParams(exchange).toString()}`).expect(404);
  });

  test('2.3.1: with two values in one field shows itself twice', async () => {
    const mock = await start({ kind: 'idp', clients: [client] });
    const said = await ask(mock, asked, { authorization: `Basic ${pair}, Basic ${pair}` });
    expect(said).toMatchObject({ status: 400, body: { error: 'invalid_request' } });
  });

  test.each(['client_secret_basic', 'client_secret_post', 'private_key_jwt'])(
    '2.3: a client that is registered for %s does not prove itself otherwise',
    async (method) => {
      const mock = await start({ kind: 'idp', clients: [{ ...client, method }] });
      const inForm = { client_id: 'a:b', client_secret: 's p' };
      const statuses = [await ask(mock, asked, right), await ask(mock, { ...asked, ...inForm })].map(
        ({ status }) => status,
      );
      expect(statuses).toEqual([method.endsWith('basic') ? 200 : 401, method.endsWith('post') ? 200 : 401]);
    },
  );
});

describe('RFC 7521 and 7523: a client that asserts who it is', () => {
  const { privateKey, publicKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  const pem = publicKey.export({ format: 'pem', type: 'spki' }).toString();
  const claims = { iss: 'c', sub: 'c', aud: 'https://as.test', jti: 'one', exp: 4e9 };
  const signed = (more: object = {}): Promise<string> =>
    new SignJWT({ ...claims, ...more }).setProtectedHeader({ alg: 'ES256' }).sign(privateKey);
  const strict = (): Promise<Mock> =>
    start({ kind: 'idp', clients: [{ id: 'c', publicKey: pem, audience: 'https://as.test' }] });

  test.each<[string, number, object, Form]>([
    ['as it should be', 200, {}, {}],
    ['for several audiences, this one among them', 200, { aud: ['https://other.test', 'https://as.test'] }, {}],
    ['begun', 200, { nbf: 1 }, {}],
    ['7521 4.2: with its name', 200, {}, { client_id: 'c' }],
    ['7521 4.2: with another name', 401, {}, { client_id: 'd' }],
    ['7521 4.2: of another type', 400, {}, { client_assertion_type: `${TYPE}jwt` }],
    ['7521 4.2: of the type of SAML', 400, {}, { client_assertion_type: ASSERTION_TYPE.replace('jwt', 'saml2') }],
    ['7521 4.2: with a secret as well', 400, {}, { client_secret: 's' }],
    ['7523 3, 1: of another issuer', 401, { iss: 'd' }, {}],
    ['7523 3, 1: of nobody', 401, { iss: undefined }, {}],
    ['7523 3, 2: about another client', 401, { sub: 'd' }, {}],
    ['7523 3, 2: about nobody', 401, { sub: undefined }, {}],
    ['7523 3, 3: for another server', 401, { aud: 'https://other.test' }, {}],
    ['7523 3, 3: for nobody', 401, { aud: undefined }, {}],
    ['7523 3, 4: over', 401, { exp: 1 }, {}],
    ['7523 3, 4: without an end', 401, { exp: undefined }, {}],
    ['7523 3, 5: not begun', 401, { nbf: 4e9 }, {}],
    ['7523 3, 7: without a name', 401, { jti: undefined }, {}],
  ])('%s: %i', async (_, status, more, form) => {
    expect((await ask(await strict(), shownBy(await signed(more), form))).status).toBe(status);
  });

  test('7523 3, 7: once', async () => {
    const mock = await strict();
    const once = shownBy(await signed());
    expect([(await ask(mock, once)).status, (await ask(mock, once)).status]).toEqual([200, 401]);
  });

  test('7523 3, 9: signed with the key it is registered with', async () => {
    const unsecured = new UnsecuredJWT(claims).encode();
    const [head = '', body = ''] = (await signed()).split('.');
    const hmacHead = Buffer.from(JSON.stringify({ alg: 'HS256' })).toString('base64url');
    const hmac = createHmac('sha256', pem).update(`${hmacHead}.${body}`).digest('base64url');
    const stranger = generateKeyPairSync('ec', { namedCurve: 'P-256' }).privateKey;
    const foreign = await new SignJWT(claims).setProtectedHeader({ alg: 'ES256' }).sign(stranger);
    for (const wrong of [
      unsecured,
      `${hmacHead}.${body}.${hmac}`,
      `${head}.${body}.`,
      foreign,
      'no.jwt.at-all',
      'opaque',
    ])
      expect((await ask(await strict(), shownBy(wrong))).status).toBe(401);
  });

  test('7521 4.2: with the type there is an assertion, and with the assertion its type', async () => {
    const { client_assertion: _, ...withoutIt } = shownBy('x');
    const { client_assertion_type: __, ...withoutType } = shownBy(await signed());
    for (const form of [withoutIt, withoutType])
      expect(await ask(await strict(), form)).toMatchObject({ status: 400, body: { error: 'invalid_request' } });
  });

  test('has no secret that would do instead', async () => {
    const mock = await strict();
    expect((await ask(mock, { ...exchange, client_id: 'c', client_secret: '' })).status).toBe(401);
    expect((await ask(mock, { ...exchange, client_id: 'c' })).status).toBe(401);
    expect((await ask(mock, exchange, basic('c:'))).status).toBe(401);
  });

  test('a client with a secret does not prove itself by signatures of its own making', async () => {
    const mock = await start({ kind: 'idp', clients: [{ id: 'c', secret: 's' }] });
    expect((await ask(mock, shownBy(await signed({ aud: mock.variables?.['issuer'] })))).status).toBe(401);
  });

  test('without an audience of its own names the issuer or the endpoint', async () => {
    const mock = await start({ kind: 'idp', clients: [{ id: 'c', publicKey: pem }] });
    const issuer = String(mock.variables?.['issuer']);
    const status = async (aud: string): Promise<number> =>
      (await ask(mock, shownBy(await signed({ aud, jti: aud })))).status;
    expect(await Promise.all([issuer, `${issuer}/token`, `${issuer}/other`].map(status))).toEqual([200, 200, 401]);
  });
});

describe('RFC 7523: a token for an assertion', () => {
  test.each<[string, number, string | undefined, Shown]>([
    ['as it should be', 200, undefined, { claims: { aud: HERE } }],
    ['2.1: nothing', 400, 'invalid_request', ''],
    ['3: what is no JWT', 400, 'invalid_grant', 'opaque'],
    ['3, 1: of another issuer', 400, 'invalid_grant', { claims: { aud: HERE, iss: 'https://other.test' } }],
    ['3, 1: of nobody', 400, 'invalid_grant', { claims: { aud: HERE, iss: null } }],
    ['3, 2: about nobody', 400, 'invalid_grant', { claims: { aud: HERE, sub: null } }],
    ['3, 3: for another server', 400, 'invalid_grant', { claims: { aud: 'https://other.test' } }],
    ['3, 3: for nobody', 400, 'invalid_grant', {}],
    ['3, 4: over', 400, 'invalid_grant', { claims: { aud: HERE, exp: 'now-1s' } }],
    ['3, 4: without an end', 400, 'invalid_grant', { claims: { aud: HERE, exp: null } }],
    ['3, 5: not begun', 400, 'invalid_grant', { claims: { aud: HERE, nbf: 'now+1h' } }],
    ['3, 9: signed by a stranger', 400, 'invalid_grant', { claims: { aud: HERE }, key: 'rogue' }],
    ['3, 9: not signed', 400, 'invalid_grant', { claims: { aud: HERE }, alg: 'none' }],
    ['3, 9: signed with what is public', 400, 'invalid_grant', { claims: { aud: HERE }, key: 'public', alg: 'HS256' }],
    ['3, 9: changed afterwards', 400, 'invalid_grant', { claims: { aud: HERE }, tamper: 'payload' }],
  ])('%s: %i', async (_, status, error, shown) => {
    const mock = await start({ kind: 'idp' });
    const said = await ask(mock, { grant_type: BEARER, assertion: await minted(mock, shown) });
    expect([said.status, said.body['error']]).toEqual([status, error]);
  });
});

describe('RFC 8693: a token for a token', () => {
  test.each<[string, number, Shown, string]>([
    ['an opaque access token', 200, 'opaque', of('access_token')],
    ['a JWT as access token', 200, {}, of('access_token')],
    ['a JWT', 200, {}, of('jwt')],
    ['an ID token', 200, {}, of('id_token')],
    ['a token of a type nobody here knows', 200, 'opaque', 'urn:example:ticket'],
    ['2.1: an opaque text as JWT', 400, 'opaque', of('jwt')],
    ['2.1: an opaque text as ID token', 400, 'opaque', of('id_token')],
    ['2.1: an ID token of nobody', 400, { claims: { iss: null } }, of('id_token')],
    ['2.1: an ID token without an end', 400, { claims: { exp: null } }, of('id_token')],
    ['2.1: a JWT as identity assertion', 400, {}, of('id-jag')],
    ['2.1: an identity assertion as access token', 400, { header: { typ: 'oauth-id-jag+jwt' } }, of('access_token')],
    ['2.1: an identity assertion as ID token', 400, { header: { typ: 'oauth-id-jag+jwt' } }, of('id_token')],
    ['2.1: one that is over', 400, { claims: { exp: 'now-1s' } }, of('jwt')],
    ['2.1: one that has not begun', 400, { claims: { nbf: 'now+1h' } }, of('jwt')],
    ['2.1: one of a stranger', 400, { key: 'rogue' }, of('jwt')],
    ['2.1: one that nobody signed', 400, { alg: 'none' }, of('jwt')],
    ['3: a type that is no URI', 400, {}, 'Jwt'],
    ['2.1: no type', 400, {}, ''],
    ['2.1: no token', 400, '', of('jwt')],
  ])('%s: %i, as subject and as actor', async (_, status, shown, type) => {
    const mock = await start({ kind: 'idp' });
    const token = await minted(mock, shown);
    const asSubject = { grant_type: EXCHANGE, subject_token: token, subject_token_type: type };
    expect((await ask(mock, asSubject)).status).toBe(status);
    const asActor = { ...exchange, actor_token: token, actor_token_type: type };
    expect((await ask(mock, asActor)).status).toBe(status);
  });

  test.each<[string, Form]>([
    ['2.1: an actor without its type', { actor_token: 'a' }],
    ['2.1: the type of an actor alone', { actor_token_type: `${TYPE}jwt` }],
    ['2.1: two subjects', { subject_token: ['a', 'b'] }],
    ['2.1: two types that are wanted', { requested_token_type: [`${TYPE}jwt`, `${TYPE}access_token`] }],
    ['2.1: a type that is no URI', { requested_token_type: 'IdJag' }],
    ['2.2.2: a type that is not given', { requested_token_type: 'urn:example:ticket' }],
    ['8707 2: a resource that is no URI', { resource: 'no-uri' }],
    ['8707 2: a resource with a fragment', { resource: 'https://r.test/#f' }],
  ])('%s is refused', async (_, more) => {
    expect(await ask(await start({ kind: 'idp' }), { ...exchange, ...more })).toMatchObject({
      status: 400,
      body: { error: 'invalid_request' },
    });
  });

  test.each(['access_token', 'jwt', 'id_token'])('2.2.1: says that it is of type %s, as was asked', async (name) => {
    const said = await ask(await start({ kind: 'idp' }), { ...exchange, requested_token_type: of(name) });
    expect(said).toMatchObject({ status: 200, body: { issued_token_type: of(name) } });
  });

  test.each<[number, unknown, object]>([
    [200, undefined, { sub: 'bob' }],
    [200, { sub: 'bob' }, { sub: 'bob' }],
    [200, { sub: 'bob', iss: HERE }, { sub: 'bob' }],
    [200, { roles: ['a', 'b'] }, { sub: 'bob', roles: ['a', 'b'] }],
    [400, { sub: 'carol' }, { sub: 'bob' }],
    [400, { sub: 'bob', team: 'x' }, { sub: 'bob' }],
    [400, { roles: ['a'] }, { sub: 'bob', roles: ['a', 'b'] }],
    [400, {}, { sub: 'bob' }],
    [400, 'bob', { sub: 'bob' }],
    [400, ['bob'], { sub: 'bob', 0: 'bob' }],
  ])('4.4: has status %i for a subject with may_act %j and an actor with %j', async (status, may_act, actor) => {
    const mock = await start({ kind: 'idp' });
    const claims = may_act === undefined ? {} : { may_act };
    const subject_token = await minted(mock, { claims });
    const actor_token = await minted(mock, { claims: actor });
    const form = { ...exchange, subject_token, actor_token, actor_token_type: of('jwt') };
    expect((await ask(mock, form)).status).toBe(status);
  });

  test('4.4: an opaque actor is nobody whom may_act could name', async () => {
    const mock = await start({ kind: 'idp' });
    const subject_token = await minted(mock, { claims: { may_act: { sub: 'bob' } } });
    const form = { ...exchange, subject_token, actor_token: 'bob', actor_token_type: of('access_token') };
    expect((await ask(mock, form)).status).toBe(400);
  });
});

describe('an identity assertion', () => {
  const wanted = { ...exchange, subject_token_type: of('id_token'), requested_token_type: of('id-jag') };

  test('is given for an ID token, and for one audience', async () => {
    const mock = await start({ kind: 'idp' });
    const subject_token = await minted(mock, {});
    const status = async (more: Form): Promise<number> =>
      (await ask(mock, { ...wanted, subject_token, ...more })).status;
    expect(await status({ audience: 'https://as.test' })).toBe(200);
    expect(await status({})).toBe(400);
    expect(await status({ audience: ['https://as.test', 'https://b.test'] })).toBe(400);
    expect(await status({ audience: 'https://as.test', subject_token_type: of('access_token') })).toBe(400);
    expect(await status({ audience: 'https://as.test', subject_token: 'opaque' })).toBe(400);
  });

  test('is what another server takes from a provider it trusts, and nothing else of that provider', async () => {
    const provider = await start({ kind: 'idp' }, undefined, 'provider');
    const server = await start({ kind: 'idp', trust: ['provider'] }, undefined, 'server');
    const stranger = await start({ kind: 'idp' }, undefined, 'stranger');
    const here = String(server.variables?.['issuer']);
    const jagOf = async (who: Mock, audience: string): Promise<string> => {
      const form = { ...wanted, subject_token: await minted(who, { claims: { sub: 'alice' } }), audience };
      return String((await ask(who, form)).body['access_token']);
    };
    const shown = async (assertion: string) => ask(server, { grant_type: BEARER, assertion });
    const taken = await shown(await jagOf(provider, here));
    expect(taken).toMatchObject({ status: 200, body: { token_type: 'Bearer' } });
    expect(decodeJwt(String(taken.body['access_token'])).sub).toBe('alice');
    const typ = 'oauth-id-jag+jwt';
    const wrong = [
      await jagOf(provider, `${here}/token`),
      await jagOf(provider, 'https://other.test'),
      await jagOf(stranger, here),
      await minted(provider, { claims: { aud: here } }),
      await minted(provider, { claims: { aud: [here, 'https://other.test'] }, header: { typ } }),
      await minted(provider, { claims: { aud: here, exp: 'now-1s' }, header: { typ } }),
      await minted(provider, { claims: { aud: here }, header: { typ }, tamper: 'payload' }),
    ];
    for (const one of wrong) expect(await shown(one)).toMatchObject({ status: 400, body: { error: 'invalid_grant' } });
  });
});

/** The URI of a type. */
function of(type: string): string {
  return `${TYPE}${type}`;
}
