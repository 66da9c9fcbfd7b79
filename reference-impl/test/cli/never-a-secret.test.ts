import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { generateKeyPairSync, randomBytes } from 'node:crypto';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { exportJWK, SignJWT } from 'jose';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { simpleSetup, startUpstream, type Upstream } from '../support/data-plane.ts';
import { documents, follow, freePort, PROGRAM } from '../support/process.ts';

/*
 * NEVER A SECRET IN ANYTHING THE PROGRAM SAYS. The program itself proves who it is in every way there is, to backends and to those who lend
 * credentials; half of these refuse and repeat all they were told. Then everything it wrote and showed is searched for everything that was
 * secret: what the configuration and the environment hold, what clients showed, what was lent, signed and stated.
 */

/** Every secret of this run, by what it is. */
const SECRETS = new Map<string, string>();

function mint(what: string): string {
  const text = `${what}-${randomBytes(9).toString('hex')}`;
  SECRETS.set(what, text);
  return text;
}

const { privateKey: rsa } = generateKeyPairSync('rsa', { modulusLength: 2048 });
const { privateKey: ec, publicKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
for (const [what, key] of [
  ['rsa', rsa],
  ['ec', ec],
] as const)
  SECRETS.set(`private key ${what}`, key.export({ type: 'pkcs8', format: 'pem' }).toString());

const KEYS = {
  rsa: rsa.export({ type: 'pkcs8', format: 'pem' }).toString(),
  ec: ec.export({ type: 'pkcs8', format: 'pem' }).toString(),
};

/** Who lends, and where; the ways that end in `-bad` go to those who refuse and repeat. */
function auths(lender: number, bad: boolean): Readonly<Record<string, object>> {
  const [word, at] = bad ? ['bad', '/bad'] : ['good', '/good'];
  const tokens = { group: 'proxy.example', kind: 'ProxyBackend', name: 'tokens' };
  const account = {
    type: 'service_account',
    client_email: 'me@project.test',
    private_key: KEYS.rsa,
    token_uri: `http://127.0.0.1:${lender}${at}/token`,
  };
  const user = {
    type: 'authorized_user',
    client_id: 'cli',
    client_secret: mint(`user-secret-${word}`),
    refresh_token: mint(`refresh-${word}`),
    token_uri: `http://127.0.0.1:${lender}${at}/token`,
  };
  const keys = {
    accessKey: 'AKIDEXAMPLE',
    secretKey: mint(`secret-key-${word}`),
    sessionToken: mint(`session-${word}`),
  };
  addSecret(`account-${word}`, { 'credentials.json': JSON.stringify(account) });
  addSecret(`user-${word}`, { 'credentials.json': JSON.stringify(user) });
  addSecret(`keys-${word}`, keys);
  addSecret(`client-${word}`, { clientID: 'c', tenantID: word, clientSecret: mint(`client-secret-${word}`) });
  addSecret(`signing-${word}`, { signingKey: bad ? `${KEYS.ec.slice(0, 60)}\n${KEYS.ec.slice(70)}` : KEYS.ec });
  const cloudA = { serviceName: 'execute-api', region: 'us-east-1' };
  const assumeRole = { roleArn: `arn:aws:iam::123456789012:role/${word}`, sessionName: 'proxy' };
  const exchange = {
    backendRef: tokens,
    path: `${at}/token`,
    clientAuth: { clientId: 'c', secretRef: { name: `client-${word}` } },
  };
  const jwtSign = { signingKeyRef: { name: `signing-${word}` }, alg: 'ES256', claims: { sub: 'proxy' } };
  return {
    [`cloud-a-${word}`]: { cloudA: { ...cloudA, secretRef: { name: `keys-${word}` } } },
    [`cloud-a-ambient-${word}`]: { cloudA },
    [`cloud-a-role-${word}`]: { cloudA: { ...cloudA, assumeRole } },
    [`cloud-b-${word}`]: { cloudB: { secretRef: { name: `client-${word}` } } },
    [`cloud-b-identity-${word}`]: { cloudB: { managedIdentity: { clientId: word, objectId: word, resourceId: word } } },
    [`cloud-c-${word}`]: { cloudC: { type: 'AccessToken', secretRef: { name: `account-${word}` } } },
    [`cloud-c-user-${word}`]: { cloudC: { type: 'AccessToken', secretRef: { name: `user-${word}` } } },
    [`cloud-c-id-${word}`]: { cloudC: { type: 'IdToken', audience: word } },
    [`exchange-${word}`]: { oauthTokenExchange: exchange },
    [`jwt-sign-${word}`]: { jwtSign },
    [`jwt-sign-query-${word}`]: { jwtSign: { ...jwtSign, location: { queryParameter: { name: 'who' } } } },
  };
}

/** Those that nobody is asked for. */
function plainAuths(): Readonly<Record<string, object>> {
  addSecret('s', { Authorization: `Bearer ${mint('default-key')}`, other: mint('other-key') });
  const other = { name: 's', key: 'other' };
  return {
    key: { key: mint('inline-key') },
    'key-in-header': { key: mint('inline-key-in-header'), location: { header: { name: 'X-Mine', prefix: 'Is ' } } },
    'key-in-query': { key: mint('inline-key-in-query'), location: { queryParameter: { name: 'mine' } } },
    'key-in-cookie': { key: mint('inline-key-in-cookie'), location: { cookie: { name: 'mine' } } },
    secret: { secretRef: { name: 's' } },
    'secret-gone': { secretRef: { name: 'gone' } },
    passthrough: { passthrough: {}, location: { header: { name: 'X-Again' } } },
    credentials: {
      credentials: [
        { location: { header: { name: 'X-One' } }, secretRef: other },
        { location: { queryParameter: { name: 'two' } }, secretRef: { name: 's' } },
      ],
    },
  };
}

const resources: object[] = [];

function addSecret(name: string, stringData: Readonly<Record<string, string>>): void {
  resources.push({ apiVersion: 'v1', kind: 'Secret', metadata: { name }, stringData });
}

function backend(name: string, port: number, policies: object = {}): object {
  const spec = { static: { host: '127.0.0.1', port }, policies };
  return { apiVersion: 'proxy.example/v1alpha1', kind: 'ProxyBackend', metadata: { name }, spec };
}

/** A lender that gives what is asked for, or refuses and repeats it all. What it gives, and what it was shown, is secret. */
function lend(request: IncomingMessage, response: ServerResponse, body: string): void {
  const { url = '', headers } = request;
  const form = new URLSearchParams(body);
  for (const name of ['assertion', 'client_assertion']) {
    const stated = form.get(name);
    if (stated !== null) SECRETS.set(`${name} ${SECRETS.size}`, stated);
  }
  const signature = /Signature=(\w+)/.exec(headers.authorization ?? '')?.[1];
  if (signature !== undefined) SECRETS.set(`signature of a question ${SECRETS.size}`, signature);
  if (`${url} ${decodeURIComponent(body)}`.includes('bad')) {
    response.writeHead(403).end(`${url} ${JSON.stringify(headers)} ${body}`);
    return;
  }
  const lent = mint(`lent-${SECRETS.size}`);
  if (url.includes('identity?')) {
    const token = `e30.${Buffer.from(JSON.stringify({ exp: 4_000_000_000, lent })).toString('base64url')}.${lent}`;
    response.end(token);
  } else if (form.get('Action') === 'AssumeRole') {
    const members = {
      AccessKeyId: 'ASIALENT',
      SecretAccessKey: lent,
      SessionToken: mint(`lent-session-${SECRETS.size}`),
    };
    response.end(
      Object.entries(members)
        .map(([name, text]) => `<${name}>${text}</${name}>`)
        .join(''),
    );
  } else {
    response.end(JSON.stringify({ access_token: lent, token_type: 'Bearer', expires_in: 3600 }));
  }
}

let folder = '';
let child: ChildProcess;
let upstream: Upstream;
let lender: Upstream;
let collector: Upstream;
const said: string[] = [];
const ports = { data: 0, admin: 0, stats: 0 };
let ways: readonly string[] = [];

beforeAll(async () => {
  folder = mkdtempSync(path.join(tmpdir(), 'refproxy-never-'));
  upstream = await startUpstream((request, response) => {
    const signature = /Signature=(\w+)/.exec(request.headers.authorization ?? '')?.[1];
    if (signature !== undefined) SECRETS.set(`signature ${SECRETS.size}`, signature);
    for (const text of [request.headers.authorization, request.url])
      for (const [token] of (text ?? '').matchAll(/eyJ[\w-]+\.[\w-]+\.[\w-]+/g))
        SECRETS.set(`token ${SECRETS.size}`, token);
    response.end('served');
  });
  lender = await startUpstream((request, response) => {
    lend(request, response, lender.received.at(-1)?.body ?? '');
  });
  collector = await startUpstream((_, response) => response.end('{}'));
  ports.data = await freePort();
  ports.admin = await freePort();
  ports.stats = await freePort();
  const all = { ...plainAuths(), ...auths(lender.port, false), ...auths(lender.port, true) };
  ways = Object.keys(all);
  const [gateway] = simpleSetup(ports.data, upstream.port);
  const jwk = { ...(await exportJWK(publicKey)), kid: 'k', alg: 'ES256' };
  const jwks = JSON.stringify({ keys: [jwk] });
  const otlp = { backendRef: { group: 'proxy.example', kind: 'ProxyBackend', name: 'collector' }, protocol: 'HTTP' };
  resources.push(
    gateway ?? {},
    backend('tokens', lender.port),
    backend('collector', collector.port),
    ...Object.entries(all).map(([name, auth]) => backend(name, upstream.port, { auth })),
    ...ways.map((name) => route(name)),
    policyFor('Gateway', 'gw', { frontend: { accessLog: { otlp }, tracing: { ...otlp, randomSampling: 'true' } } }),
    policyFor('HTTPRoute', 'passthrough', {
      traffic: { jwtAuthentication: { mode: 'Strict', providers: [{ issuer: 'me', jwks: { inline: jwks } }] } },
    }),
  );
  writeFileSync(path.join(folder, 'all.json'), documents(resources));
  const at = `http://127.0.0.1:${lender.port}`;
  const rest = ['--admin-port', String(ports.admin), '--stats-port', String(ports.stats), '--log-level', 'debug'];
  child = spawn(process.execPath, [...PROGRAM, 'serve', '--config', folder, ...rest], {
    stdio: ['ignore', 'pipe', 'pipe'],
    env: {
      PATH: process.env['PATH'],
      AWS_ACCESS_KEY_ID: 'AKIDAMBIENT',
      AWS_SECRET_ACCESS_KEY: mint('ambient-secret-key'),
      AWS_SESSION_TOKEN: mint('ambient-session'),
      AWS_ENDPOINT_URL_STS: at,
      AZURE_AUTHORITY_HOST: at,
      IDENTITY_ENDPOINT: `${at}/msi`,
      IDENTITY_HEADER: mint('identity-header'),
      GCE_METADATA_HOST: `127.0.0.1:${lender.port}`,
    },
  });
  for (const stream of [child.stdout, child.stderr]) stream?.on('data', (chunk: Buffer) => said.push(String(chunk)));
  await follow(child).says(/refproxy ready/);
});

afterAll(async () => {
  child.kill('SIGKILL');
  await Promise.all([upstream, lender, collector].map((one) => one[Symbol.asyncDispose]()));
  rmSync(folder, { recursive: true });
});

function route(name: string): object {
  const backendRefs = [{ group: 'proxy.example', kind: 'ProxyBackend', name }];
  const matches = [{ path: { type: 'PathPrefix', value: `/${name}` } }];
  const spec = { parentRefs: [{ name: 'gw' }], rules: [{ name: 'main', matches, backendRefs }] };
  return { apiVersion: 'gateway.networking.k8s.io/v1', kind: 'HTTPRoute', metadata: { name }, spec };
}

function policyFor(kind: string, name: string, section: object): object {
  const targetRefs = [{ group: 'gateway.networking.k8s.io', kind, name }];
  const metadata = { name: `of-${name}` };
  return { apiVersion: 'proxy.example/v1alpha1', kind: 'ProxyPolicy', metadata, spec: { targetRefs, ...section } };
}

test('nothing the program says has a secret in it', { timeout: 60_000 }, async () => {
  const client = await new SignJWT({ sub: 'alice' })
    .setProtectedHeader({ alg: 'ES256', kid: 'k' })
    .setIssuer('me')
    .setExpirationTime('1h')
    .sign(ec);
  SECRETS.set('token of the client', client);
  const cookie = mint('cookie-of-client');
  const statuses: Record<string, number> = {};
  for (const way of ways) {
    const trace = await fetch(`http://127.0.0.1:${ports.admin}/debug/trace`, { method: 'POST' });
    const answer = await fetch(`http://127.0.0.1:${ports.data}/${way}?q=1`, {
      headers: { authorization: `Bearer ${client}`, cookie: `session=${cookie}` },
    });
    statuses[way] = answer.status;
    said.push(JSON.stringify([...answer.headers]), await answer.text(), await trace.text());
  }
  expect(
    Object.entries(statuses)
      .filter(([, status]) => status >= 400)
      .map(([way]) => way),
  ).toEqual(['secret-gone', ...REFUSED]);
  // What was refused was never sent, so that everything that arrived had a credential.
  expect(upstream.received).toHaveLength(ways.length - 1 - REFUSED.length);

  for (const target of ['/config_dump', '/status', '/ui', ...COLLECTIONS])
    said.push(await (await fetch(`http://127.0.0.1:${ports.admin}${target}`)).text());
  said.push(await (await fetch(`http://127.0.0.1:${ports.stats}/metrics`)).text());
  for (const args of [
    ...['key', 'key-in-header'].map((name) => [...EFFECTIVE, '--config', folder, '--route', name]),
    ['validate', '-f', path.join(folder, 'all.json')],
    ['adapter', '--help'],
  ])
    said.push(await outputOf(args));
  const ended = new Promise((resolve) => child.once('close', resolve));
  child.kill('SIGTERM');
  await ended;
  said.push(...collector.received.map(({ body }) => body));

  const told = said.join('\n');
  // What was searched is really there: answers, trace, log, dump, list, entries of the access log and spans.
  expect(LANDMARKS.filter((landmark) => !told.includes(landmark))).toEqual([]);
  expect(SECRETS.size).toBeGreaterThan(40);
  const found = [...SECRETS].filter(([, text]) => formsOf(text).some((form) => told.includes(form)));
  expect(found.map(([what]) => what)).toEqual([]);
});

const EFFECTIVE = ['effective-policy', '--phase', 'backend'];

const LANDMARKS = [
  '"key": "<redacted>"',
  'served',
  'policySelection',
  'refproxy ready',
  'no keys for the role: status 403',
  'Secret default/gone has no key Authorization',
  '"kind":"SecretList"',
  '<redacted>',
  'BackendAuth',
  'http.path',
  'effectivePolicy',
  'proxy_requests',
];

/** Who refuses and repeats; keys of a Secret and of the environment sign without asking anybody. */
const REFUSED = [
  'cloud-a-role-bad',
  'cloud-b-bad',
  'cloud-b-identity-bad',
  'cloud-c-bad',
  'cloud-c-user-bad',
  'cloud-c-id-bad',
  'exchange-bad',
  'jwt-sign-bad',
  'jwt-sign-query-bad',
];

const COLLECTIONS = [
  '/api/v1/namespaces/default/secrets',
  '/apis/proxy.example/v1alpha1/namespaces/default/proxybackends',
  '/apis/proxy.example/v1alpha1/namespaces/default/proxypolicies',
];

/** As it is, and as JSON, forms and base64 write it; of a long one, such as a key, a piece from its middle. */
function formsOf(text: string): readonly string[] {
  const lines = text.split('\n').filter((line) => line.length > 30 && !line.startsWith('-----'));
  const piece = lines.length > 1 ? (lines[1] ?? text) : text;
  return [piece, encodeURIComponent(piece), Buffer.from(piece).toString('base64').replace(/=+$/, '')];
}

function outputOf(args: readonly string[]): Promise<string> {
  return new Promise((resolve) => {
    execFile(process.execPath, [...PROGRAM, ...args], { maxBuffer: 1e8 }, (_, stdout, stderr) => {
      resolve(stdout + stderr);
    });
  });
}
