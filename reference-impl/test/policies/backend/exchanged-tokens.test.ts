import { generateKeyPairSync } from 'node:crypto';
import type { ServerResponse } from 'node:http';
import { expect, test } from 'vitest';
import { jwt } from '../../credentials/oauth/support.ts';
import { get, policy, simpleSetup, startDataPlane, startUpstream } from '../../support/data-plane.ts';

/*
 * NEVER A SECRET IN WHAT THE PROXY TELLS. Requests of every kind go through a running data plane; every token, secret, key and
 * assertion that came up on the way is looked for in answers, traces and logs.
 */

const { privateKey } = generateKeyPairSync('ec', {
  namedCurve: 'P-256',
  publicKeyEncoding: { type: 'spki', format: 'pem' },
  privateKeyEncoding: { type: 'pkcs8', format: 'pem' },
});
const SECRETS = { clientSecret: 'secret+of/the=client', signingKey: privateKey };
const LENT = 'lent-to-the-proxy';

/** What a token endpoint says; some repeat what they were told, as careless ones do. */
const ANSWERS: Readonly<Record<string, (form: string, response: ServerResponse) => void>> = {
  good: (_, response) => void response.end(JSON.stringify({ access_token: LENT, token_type: 'Bearer' })),
  'refuses-and-repeats': (form, response) =>
    void response.writeHead(400).end(JSON.stringify({ error: 'invalid_grant', error_description: form })),
  'denies-and-repeats': (form, response) => void response.writeHead(401).end(JSON.stringify({ error: form })),
  'fails-and-repeats': (form, response) => void response.writeHead(503).end(form),
  garbage: (form, response) => void response.end(`<html>${form}`),
  'another-type': (form, response) =>
    void response.end(JSON.stringify({ access_token: LENT, token_type: form, issued_token_type: form })),
  redirects: (form, response) => void response.writeHead(307, { location: `/other?${form}` }).end(),
  resets: (_, response) => void response.destroy(),
};

const CLIENTS: Readonly<Record<string, object>> = {
  secret: { clientId: 'c', secretRef: { name: 's' } },
  key: {
    clientId: 'c',
    method: 'PrivateKeyJwt',
    privateKeyJwt: { signingKeyRef: { name: 's' }, alg: 'ES256', assertionAudience: 'https://as.test' },
  },
};

test.each(Object.keys(ANSWERS).flatMap((answer) => Object.keys(CLIENTS).map((client) => [answer, client] as const)))(
  'a token endpoint (%s) and a client with a %s leave no secret in answer, trace or log',
  async (answer, client) => {
    await using up = await startUpstream();
    let form = '';
    await using endpoint = await startUpstream((_, response) => {
      form = endpoint.received.at(-1)?.body ?? '';
      ANSWERS[answer]?.(form, response);
    });
    const subject = await jwt({ sub: 'alice', may_act: { sub: 'svc' } });
    const actor = await jwt({ sub: 'svc', n: 'bob' });
    const exchange = {
      backendRef: { group: 'proxy.example', kind: 'ProxyBackend', name: 'tokens' },
      subjectToken: { source: { queryParameter: { name: 'who' } } },
      actorToken: { source: { header: { name: 'x-who' } }, mayAct: 'Required' },
      clientAuth: CLIENTS[client],
      location: { header: { name: 'x-lent-by' } },
    };
    await using proxy = await startDataPlane((port) => [
      ...simpleSetup(port, up.port),
      backend('tokens', endpoint.port),
      { apiVersion: 'v1', kind: 'Secret', metadata: { name: 's' }, stringData: SECRETS },
      policy('ProxyBackend', { backend: { auth: { oauthTokenExchange: exchange } } }),
    ]);
    const traced = proxy.trace();
    const text = await get(proxy.port, `/p?a=1&who=${subject}`, ['Host: example.test', `X-Who: ${actor}`]);
    const events = await traced;

    const status = answer === 'good' ? 200 : answer.startsWith('refuses') ? 400 : 500;
    expect(text).toMatch(new RegExp(`^HTTP/1.1 ${status}`));
    expect(up.received.map(({ rawHeaders }) => rawHeaders.includes(LENT))).toEqual(status === 200 ? [true] : []);
    expect(endpoint.received).toHaveLength(1);
    expect(events.length).toBeGreaterThan(3);
    const assertion = new URLSearchParams(form).get('client_assertion');
    const told = JSON.stringify([text, events, proxy.logged, proxy.told]);
    for (const secret of [subject, actor, LENT, SECRETS.clientSecret, privateKey, ...(assertion ? [assertion] : [])]) {
      for (const written of formsOf(secret)) expect(told).not.toContain(written);
    }
  },
);

/** As it is, and as JSON, forms and base64 write it. */
function formsOf(secret: string): readonly string[] {
  const encoded = Buffer.from(secret).toString('base64').replaceAll('=', '');
  return [JSON.stringify(secret).slice(1, -1), encodeURIComponent(secret), encoded];
}

function backend(name: string, port: number): object {
  const spec = { static: { host: '127.0.0.1', port } };
  return { apiVersion: 'proxy.example/v1alpha1', kind: 'ProxyBackend', metadata: { name }, spec };
}
