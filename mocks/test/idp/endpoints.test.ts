import { createLocalJWKSet, createRemoteJWKSet, jwtVerify } from 'jose';
import supertest from 'supertest';
import { describe, expect, test } from 'vitest';
import { z } from 'zod';
import { createGates } from '../../gates.ts';
import type { Mock } from '../../mock.ts';
import { viewsOf, start } from '../support/start.ts';

const object = z.record(z.string(), z.unknown());
const keySet = z.object({ keys: z.array(object) });

function agentOf(mock: Mock): ReturnType<typeof supertest> {
  return supertest(`http://${mock.host}:${mock.port}`);
}

/** The JSON object of an answer. */
function json({ text }: { readonly text: string }): Readonly<Record<string, unknown>> {
  return object.parse(JSON.parse(text));
}

function keysIn(answer: { readonly text: string }): readonly Readonly<Record<string, unknown>>[] {
  return keySet.parse(json(answer)).keys;
}

/** A local resolver of the keys of a mock. */
function keysOf(mock: Mock): ReturnType<typeof createLocalJWKSet> {
  return createLocalJWKSet(keySet.parse(JSON.parse(String(mock.variables?.['jwks']))) satisfies { keys: object[] });
}

describe('the key set of the idp mock', () => {
  test('stands at its usual place, with one ES256 key, and is on the ledger', async () => {
    const mock = await start({ kind: 'idp' });
    const answer = await agentOf(mock).get('/.well-known/jwks.json').expect(200).expect('content-type', /json/);
    expect(keysIn(answer)).toMatchObject([{ kid: 'k1', alg: 'ES256', use: 'sig', kty: 'EC' }]);
    expect(keysIn(answer)[0]).not.toHaveProperty('d');
    expect(viewsOf(mock, 'method', 'path')).toEqual([{ method: 'GET', path: '/.well-known/jwks.json' }]);
  });

  test('stands where the script says, and nothing stands elsewhere', async () => {
    const mock = await start({ kind: 'idp', jwksPath: '/certs' });
    await agentOf(mock).get('/certs').expect(200);
    await agentOf(mock).get('/.well-known/jwks.json').expect(404);
    await agentOf(mock).post('/certs').expect(404);
  });

  test('changes with every fetch as the script says; the last entry repeats', async () => {
    const keys = [{ kid: 'a' }, { kid: 'b' }];
    const jwks = [{ keys: ['a'] }, { status: 503, body: '{"keys":[]}' }, { keys: ['a', 'b'] }, { keys: ['b'] }];
    const mock = await start({ kind: 'idp', keys, jwks });
    const seen: unknown[] = [];
    for (let fetch = 0; fetch < 5; fetch += 1) {
      const answer = await agentOf(mock).get('/.well-known/jwks.json');
      seen.push([answer.status, keysIn(answer).map(({ kid }) => kid)]);
    }
    expect(seen).toEqual([
      [200, ['a']],
      [503, []],
      [200, ['a', 'b']],
      [200, ['b']],
      [200, ['b']],
    ]);
  });

  test('shows keys as the script edits them, and can be large', async () => {
    const keys = [{ kid: 'a', published: { with: { use: 'enc' }, without: ['alg', 'kid'] } }];
    const mock = await start({ kind: 'idp', keys, jwks: [{ pad: 2_000_000 }] });
    const answer = await agentOf(mock).get('/.well-known/jwks.json');
    expect(Object.keys(keysIn(answer)[0] ?? {}).toSorted()).toEqual(['crv', 'kty', 'use', 'x', 'y']);
    expect(answer.text.length).toBeGreaterThan(2_000_000);
  });

  test('waits at a gate', async () => {
    const gates = createGates();
    const mock = await start({ kind: 'idp', jwks: [{ gate: 'now', giveUp: '30s' }] }, gates);
    const fetched = agentOf(mock).get('/.well-known/jwks.json').then(keysIn);
    await mock.ledger.until(({ entries }) => entries.length === 1, 2000);
    expect(mock.ledger.active).toBe(1);
    gates.open('now');
    await expect(fetched).resolves.toHaveLength(1);
  });

  test.each(['reset', 'half-close', 'garbage'])('can fail: %s', async (fault) => {
    const mock = await start({ kind: 'idp', jwks: [{ fault }] });
    await expect(agentOf(mock).get('/.well-known/jwks.json')).rejects.toThrow();
  });

  test.each(['reset', 'half-close', 'garbage'])('can fail at whatever is asked: %s', async (fault) => {
    const mock = await start({ kind: 'idp', fault });
    await expect(agentOf(mock).get('/.well-known/jwks.json')).rejects.toThrow();
    await expect(agentOf(mock).get('/nothing')).rejects.toThrow();
  });

  test('can be silent at whatever is asked', async () => {
    const mock = await start({ kind: 'idp', fault: 'hang' });
    const unanswered = agentOf(mock)
      .get('/.well-known/jwks.json')
      .then(
        () => 'answered',
        () => 'broken off',
      );
    await mock.ledger.until(({ entries }) => entries.length === 1, 2000);
    expect(mock.ledger.active).toBe(1);
    await mock.stop();
    await expect(unanswered).resolves.toBe('broken off');
  });

  test('names a key that is not there as a broken peer', async () => {
    const mock = await start({ kind: 'idp', jwks: [{ keys: ['nobody'] }] });
    await expect(agentOf(mock).get('/.well-known/jwks.json')).rejects.toThrow();
    expect(mock.ledger.fails).toEqual(['peer up broke: no key nobody; there are: k1']);
  });
});

describe('the other endpoints of the idp mock', () => {
  test('discovery leads to them, and can be made to lie', async () => {
    const mock = await start({
      kind: 'idp',
      discovery: { with: { issuer: 'https://evil.test' }, without: ['jwks_uri'] },
    });
    const body = json(await agentOf(mock).get('/.well-known/openid-configuration').expect(200));
    expect(body).toMatchObject({ issuer: 'https://evil.test', token_endpoint: `http://127.0.0.1:${mock.port}/token` });
    expect(body).not.toHaveProperty('jwks_uri');
  });

  test.each([
    ['in the form', {}, 'grant_type=client_credentials&client_id=c&client_secret=s&audience=api'],
    ['in a header', { authorization: `Basic ${btoa('c:s')}` }, 'grant_type=client_credentials&audience=api'],
  ])('a client that names itself %s gets a token', async (_, headers, form) => {
    const mock = await start({ kind: 'idp', clients: [{ id: 'c', secret: 's' }], token: { claims: { team: 'blue' } } });
    const body = json(await agentOf(mock).post('/token').set(headers).type('form').send(form).expect(200));
    expect(body).toMatchObject({ token_type: 'Bearer', expires_in: 300 });
    const { payload } = await jwtVerify(String(body['access_token']), keysOf(mock));
    expect(payload).toMatchObject({ iss: `http://127.0.0.1:${mock.port}`, sub: 'c', aud: 'api', team: 'blue' });
    expect(Number(payload.exp) - Number(payload.iat)).toBe(300);
  });

  test.each([
    ['wrong secret', 'grant_type=client_credentials&client_id=c&client_secret=x', 401, 'invalid_client'],
    ['nobody', 'grant_type=client_credentials', 401, 'invalid_client'],
    ['other grant', 'grant_type=password&client_id=c&client_secret=s', 400, 'unsupported_grant_type'],
  ])('%s is refused', async (_, form, status, error) => {
    const mock = await start({ kind: 'idp', clients: [{ id: 'c', secret: 's' }] });
    const body = json(await agentOf(mock).post('/token').type('form').send(form).expect(status));
    expect(body).toMatchObject({ error });
  });

  test('who registers may ask for a token', async () => {
    const mock = await start({ kind: 'idp', clients: [] });
    const client = json(await agentOf(mock).post('/register').send({ client_name: 'x' }).expect(201));
    const { client_name: name, client_id, client_secret } = client;
    expect(name).toBe('x');
    const form = { grant_type: 'client_credentials', client_id, client_secret };
    await agentOf(mock).post('/token').type('form').send(form).expect(200);
    await agentOf(mock).post('/register').type('text').send('no').expect(400);
  });

  test('only where the script says so anybody registers at any path', async () => {
    const usual = await start({ kind: 'idp' });
    await agentOf(usual).post('/clients').send({}).expect(404);
    const mock = await start({ kind: 'idp', registersAnywhere: true, registration: { with: { client_id: 'new' } } });
    expect(json(await agentOf(mock).post('/clients').send({}).expect(201))).toMatchObject({ client_id: 'new' });
    await agentOf(mock).post('/token').send({}).expect(400);
    await agentOf(mock).get('/clients').expect(404);
  });
});

describe('the idp mock with oidc-provider', () => {
  test('a client discovers it, gets a token and verifies it with the keys of the mock', async () => {
    const clients = [{ id: 'c', secret: 's' }];
    const mock = await start({ kind: 'idp', engine: 'oidc-provider', clients, keys: [{ kid: 'r', alg: 'RS256' }] });
    const { issuer, jwks_uri } = json(await agentOf(mock).get('/.well-known/openid-configuration').expect(200));
    expect(issuer).toBe(`http://127.0.0.1:${mock.port}`);
    const form = { grant_type: 'client_credentials', resource: 'urn:api' };
    const body = json(await agentOf(mock).post('/token').auth('c', 's').type('form').send(form).expect(200));
    const keys = createRemoteJWKSet(new URL(String(jwks_uri)));
    const { payload, protectedHeader } = await jwtVerify(String(body['access_token']), keys);
    expect(protectedHeader).toMatchObject({ alg: 'RS256', kid: 'r' });
    expect(payload).toMatchObject({ iss: issuer, aud: 'urn:api', client_id: 'c' });
    expect(viewsOf(mock, 'path').map(({ path }) => path)).toContain('/token');
  });

  test('clients register', async () => {
    const mock = await start({ kind: 'idp', engine: 'oidc-provider' });
    const found = json(await agentOf(mock).get('/.well-known/openid-configuration'));
    const wanted = { redirect_uris: ['https://a.test/cb'] };
    const client = json(await supertest(String(found['registration_endpoint'])).post('').send(wanted).expect(201));
    expect(client).toMatchObject(wanted);
    expect(client['client_id']).toBeTypeOf('string');
  });
});
