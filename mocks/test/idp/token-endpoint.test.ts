import { createHash, createPrivateKey, generateKeyPairSync } from 'node:crypto';
import { decodeJwt, SignJWT } from 'jose';
import supertest from 'supertest';
import { describe, expect, test } from 'vitest';
import { createAuthority, issue } from '../../tls/certificate.ts';
import { start, viewsOf } from '../support/start.ts';
import { ask, basic, BEARER, exchange, shownBy, TYPE, type Form } from '../support/token-question.ts';

describe('a token in exchange', () => {
  test('is about the subject, for whom it was asked for, and its type is told', async () => {
    const mock = await start({ kind: 'idp' });
    const subject = await mock.mint?.({ claims: { sub: 'alice' } });
    const actor = await mock.mint?.({ claims: { sub: 'bob' } });
    const { status, body } = await ask(mock, {
      ...exchange,
      subject_token: String(subject),
      actor_token: String(actor),
      actor_token_type: `${TYPE}jwt`,
      audience: ['a', 'b'],
      scope: 's t',
    });
    expect([status, body['token_type'], body['issued_token_type'], body['expires_in']]).toEqual([
      200,
      'Bearer',
      `${TYPE}access_token`,
      300,
    ]);
    const claims = decodeJwt(String(body['access_token']));
    expect(claims).toMatchObject({ sub: 'alice', act: { sub: 'bob' }, aud: ['a', 'b'], scope: 's t' });
  });

  test('for an ID-JAG is one, and opens nothing by itself', async () => {
    const mock = await start({ kind: 'idp' });
    const { body } = await ask(mock, {
      ...exchange,
      subject_token: String(await mock.mint?.({})),
      subject_token_type: `${TYPE}id_token`,
      requested_token_type: `${TYPE}id-jag`,
      audience: 'https://as.test',
    });
    expect(body).toMatchObject({ token_type: 'N_A', issued_token_type: `${TYPE}id-jag` });
    expect(decodeJwt(String(body['access_token'])).aud).toBe('https://as.test');
  });

  test.each<[string, Form]>([
    ['invalid_request', { ...exchange, subject_token: '' }],
    ['invalid_request', { ...exchange, subject_token_type: 'AccessToken' }],
    ['invalid_request', { ...exchange, actor_token: 'a' }],
    ['invalid_request', { ...exchange, actor_token_type: `${TYPE}jwt` }],
    ['invalid_request', { ...exchange, requested_token_type: 'IdJag' }],
    ['invalid_request', { ...exchange, resource: 'no-uri' }],
    ['invalid_request', { ...exchange, resource: 'https://r.test/#f' }],
    ['invalid_request', { ...exchange, scope: ['a', 'b'] }],
    ['invalid_request', { subject_token: 'x' }],
    ['unsupported_grant_type', { ...exchange, grant_type: 'password' }],
    ['invalid_request', { grant_type: BEARER }],
    ['invalid_grant', { grant_type: BEARER, assertion: 'opaque' }],
  ])('is refused as %s: %j', async (error, form) => {
    const mock = await start({ kind: 'idp' });
    expect(await ask(mock, form)).toMatchObject({ status: 400, body: { error } });
  });

  test('is refused for a body that is no form, and elsewhere than at its path', async () => {
    const mock = await start({ kind: 'idp', tokenPath: '/' });
    expect(await ask(mock, exchange, { 'content-type': 'application/json' }).catch(() => 'no JSON')).toBe('no JSON');
    const at = await supertest(`http://${mock.host}:${mock.port}`).post('/').type('json').send('{}');
    expect(at.status).toBe(400);
  });

  test.each([
    [{ key: 'rogue' }, 400],
    [{ tamper: 'signature' }, 400],
    [{ claims: { exp: 'now-1s' } }, 400],
    [{ claims: { exp: null } }, 200],
    [{ claims: { may_act: { sub: 'bob' } } }, 200],
    [{ claims: { may_act: { sub: 'carol' } } }, 400],
  ])('for a subject such as %j has status %i', async (spec, status) => {
    const mock = await start({ kind: 'idp' });
    const subject = String(await mock.mint?.(spec));
    const actor = String(await mock.mint?.({ claims: { sub: 'bob' } }));
    const form = { ...exchange, subject_token: subject, actor_token: actor, actor_token_type: `${TYPE}jwt` };
    expect((await ask(mock, form)).status).toBe(status);
  });

  test('is given for the opaque tokens it knows, and for tokens of peers it trusts', async () => {
    const other = await start({ kind: 'idp' }, undefined, 'other');
    const mock = await start({ kind: 'idp', opaque: ['known'], trust: ['other'] });
    const asked = async (subject_token: string): Promise<number> =>
      (await ask(mock, { ...exchange, subject_token })).status;
    expect(await asked('known')).toBe(200);
    expect(await asked('unknown')).toBe(400);
    expect(await asked(String(await other.mint?.({})))).toBe(200);
    expect(await asked(String(await other.mint?.({ key: 'rogue' })))).toBe(400);
  });

  test('for an assertion wants it signed, for here and in time', async () => {
    const mock = await start({ kind: 'idp' });
    const issuer = String(mock.variables?.['issuer']);
    const asked = async (spec: object): Promise<unknown> =>
      (await ask(mock, { grant_type: BEARER, assertion: String(await mock.mint?.(spec)) })).status;
    expect(await asked({ claims: { aud: issuer } })).toBe(200);
    expect(await asked({ claims: { aud: `${issuer}/token` } })).toBe(200);
    expect(await asked({})).toBe(400);
    expect(await asked({ claims: { aud: issuer, exp: null } })).toBe(400);
    expect(await asked({ claims: { aud: issuer, sub: null } })).toBe(400);
    expect(await asked({ claims: { aud: issuer }, tamper: 'payload' })).toBe(400);
  });
});

describe('a client', () => {
  test.each<[number, Form, string | undefined]>([
    [200, {}, 'a%3Ab:s+p'],
    [401, {}, 'a:b:s p'],
    [401, {}, 'a%3Ab:other'],
    [401, {}, undefined],
    [200, { client_id: 'a:b', client_secret: 's p' }, undefined],
    [401, { client_id: 'a:b' }, undefined],
    [401, { client_secret: 's p' }, undefined],
    [200, { client_id: 'public' }, undefined],
    [401, { client_id: 'public', client_secret: '' }, undefined],
    [400, { client_id: 'a:b', client_secret: 's p' }, 'a%3Ab:s+p'],
    [401, { client_id: 'header-only', client_secret: 's' }, undefined],
    [200, {}, 'header-only:s'],
  ])('gets %i for %j and the header of %s', async (status, form, pair) => {
    const clients = [
      { id: 'a:b', secret: 's p' },
      { id: 'public' },
      { id: 'header-only', secret: 's', method: 'client_secret_basic' },
    ];
    const mock = await start({ kind: 'idp', clients });
    const answer = await ask(mock, { ...exchange, ...form }, pair === undefined ? {} : basic(pair));
    expect(answer.status).toBe(status);
  });

  const { privateKey, publicKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  const pem = publicKey.export({ format: 'pem', type: 'spki' }).toString();
  const assertion = (claims: object, header: object = {}, key = privateKey): Promise<string> =>
    new SignJWT({ iss: 'c', sub: 'c', aud: 'https://as.test', jti: 'one', exp: 4e9, ...claims })
      .setProtectedHeader({ alg: 'ES256', ...header })
      .sign(key);
  test.each<[number, object, Form]>([
    [200, {}, {}],
    [200, {}, { client_id: 'c' }],
    [401, {}, { client_id: 'd' }],
    [400, {}, { client_assertion_type: 'jwt' }],
    [400, {}, { client_secret: 's' }],
    [401, { iss: 'd' }, {}],
    [401, { sub: 'd' }, {}],
    [401, { aud: 'https://other.test' }, {}],
    [401, { exp: 1 }, {}],
    [401, { exp: undefined }, {}],
    [401, { nbf: 4e9 }, {}],
    [401, { jti: undefined }, {}],
  ])('gets %i for an assertion with %j and %j', async (status, claims, more) => {
    const mock = await start({ kind: 'idp', clients: [{ id: 'c', publicKey: pem, audience: 'https://as.test' }] });
    expect((await ask(mock, shownBy(await assertion(claims), more))).status).toBe(status);
  });

  test('shows an assertion once, signs it with its own key, and does not name a certificate it has not', async () => {
    const mock = await start({ kind: 'idp', clients: [{ id: 'c', publicKey: pem, audience: 'https://as.test' }] });
    const once = await assertion({});
    expect((await ask(mock, shownBy(once))).status).toBe(200);
    expect((await ask(mock, shownBy(once))).status).toBe(401);
    const other = generateKeyPairSync('ec', { namedCurve: 'P-256' }).privateKey;
    expect((await ask(mock, shownBy(await assertion({ jti: '2' }, {}, other)))).status).toBe(401);
    expect((await ask(mock, shownBy(await assertion({ jti: '3' }, { 'x5t#S256': 'x' })))).status).toBe(401);
  });

  test('with a certificate names it', async () => {
    const authority = createAuthority('authority');
    const { certificate, key: pemKey } = issue({ commonName: 'c', usage: 'client' }, authority);
    const key = createPrivateKey(pemKey);
    const [der, signer] = [derOf(certificate), derOf(authority.certificate)];
    const thumbprint = createHash('sha256').update(Buffer.from(der, 'base64')).digest('base64url');
    const mock = await start({ kind: 'idp', clients: [{ id: 'c', certificate, audience: 'https://as.test' }] });
    const status = async (jti: string, header: object): Promise<number> =>
      (await ask(mock, shownBy(await assertion({ jti }, header, key)))).status;
    const good = [
      { x5c: [der] },
      { x5c: [der, signer] },
      { 'x5t#S256': thumbprint },
      { x5c: [der], 'x5t#S256': thumbprint },
    ];
    const bad = [
      {},
      { x5c: [] },
      { x5c: der },
      { x5c: [signer, der] },
      { x5c: [signer] },
      { x5c: [der, der] },
      { x5c: [der, 'more'] },
      { x5c: [Buffer.from(der, 'base64').toString('base64url')] },
      { 'x5t#S256': 'x' },
      { 'x5t#S256': Buffer.from(thumbprint, 'base64url').toString('base64') },
      { 'x5t#S256': createHash('sha1').update(Buffer.from(der, 'base64')).digest('base64url') },
      { x5t: createHash('sha1').update(Buffer.from(der, 'base64')).digest('base64url') },
      { x5c: [der], 'x5t#S256': 'x' },
    ];
    for (const [jti, header] of good.entries())
      expect([header, await status(`good ${jti}`, header)]).toEqual([header, 200]);
    for (const [jti, header] of bad.entries())
      expect([header, await status(`bad ${jti}`, header)]).toEqual([header, 401]);
  });
});

test('what the script says comes in its order, or to whom it is for; a refused question uses up nothing', async () => {
  const mock = await start({
    kind: 'idp',
    token: {
      on: [{ match: { subject_token: 'a' }, reply: named('for-a') }],
      replies: [named('one'), { status: 503, body: '{}' }],
    },
  });
  const token = async (subject_token: string): Promise<unknown> => {
    const { status, body } = await ask(mock, { ...exchange, subject_token });
    return body['access_token'] ?? status;
  };
  expect([await token('b'), await token(''), await token('a'), await token('b')]).toEqual(['one', 400, 'for-a', 503]);
});

test('the ledger shows what was asked, by the names of secrets or by digests', async () => {
  const secrets = { alice: 'token-of-alice', client: 's p' };
  const mock = await start({ kind: 'idp', secrets, clients: [{ id: 'a:b', secret: 's p' }] });
  const jwt = String(await mock.mint?.({ claims: { sub: 'bob' } }));
  const authorization = `Basic ${Buffer.from('a%3Ab:s+p').toString('base64')}`;
  const form = { ...exchange, subject_token: 'token-of-alice', actor_token: jwt, actor_token_type: `${TYPE}jwt` };
  await ask(mock, { ...form, audience: ['x', 'y'] }, { authorization });
  const [view] = viewsOf(mock, 'form', 'client', 'tokens', 'headers', 'body', 'rawHeaders');
  expect(view).toMatchObject({
    form: {
      subject_token: '<alice>',
      audience: ['x', 'y'],
    },
    client: { method: 'client_secret_basic', id: 'a:b', secret: '<client>' },
    tokens: { actor_token: { header: { alg: 'ES256' }, claims: { sub: 'bob' } } },
  });
  expect(JSON.stringify(view)).toMatch(/"actor_token":"sha256:[0-9a-f]{16}"/);
  expect(JSON.stringify(mock.ledger.entries.map((entry) => entry.view()))).not.toMatch(
    new RegExp(
      [...Object.values(secrets), jwt, authorization.slice(6)].map((text) => text.replaceAll('+', '\\+')).join('|'),
    ),
  );
});

function named(access_token: string): object {
  return { with: { access_token } };
}

/** The base64 in a PEM text. */
function derOf(pem: string): string {
  return pem.replaceAll(/-----[^-]+-----|\s/g, '');
}
