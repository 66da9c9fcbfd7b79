import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { cloudBTokens } from '../../../credentials/cloud-b/cloud-b-tokens.ts';
import type { Environment } from '../../../credentials/environment.ts';
import type { Targeted } from '../../../exchange/exchange.ts';
import type { CloudBAuth } from '../../../resources/proxy-policy/fields/auth/cloud.ts';
import { ORIGIN } from '../../support/inert.ts';
import { manualClock } from '../../trace/manual-clock.ts';
import { endpoints, type Question, requestWith } from '../oauth/support.ts';

let folder = '';
let federated = '';

beforeAll(() => {
  folder = mkdtempSync(path.join(tmpdir(), 'cloud-b-'));
  federated = path.join(folder, 'token');
  writeFileSync(federated, 'vouched-for\n');
});

afterAll(() => {
  rmSync(folder, { recursive: true });
});

const SECRET = { clientID: 'client-1', tenantID: 'tenant-1', clientSecret: 'secret-1' };
const OF_SECRET = { AZURE_CLIENT_ID: 'client-2', AZURE_TENANT_ID: 'tenant-2', AZURE_CLIENT_SECRET: 'secret-2' };
const IDENTITY = { clientId: 'i', objectId: 'o', resourceId: 'r' };

/** BAUTH-024, BAUTH-025, BAUTH-031, BAUTH-034: who is asked, and with what; what comes later in the order must not be. */
test.each<[string, CloudBAuth, () => Environment, Partial<Question>, readonly string[]]>([
  [
    'the Secret, whatever the environment has',
    { secretRef: { name: 's' } },
    () => ({ ...OF_SECRET, ...workload() }),
    { host: 'login.microsoftonline.com', target: '/tenant-1/oauth2/v2.0/token' },
    ['client_id=client-1', 'client_secret=secret-1', 'grant_type=client_credentials'],
  ],
  [
    'the managed identity, whatever the environment has',
    { managedIdentity: IDENTITY },
    () => ({ ...OF_SECRET, ...workload() }),
    { host: '169.254.169.254' },
    [],
  ],
  [
    'the workload identity, although there is a secret',
    { workloadIdentity: {} },
    () => ({ ...OF_SECRET, ...workload() }),
    { target: '/tenant-2/oauth2/v2.0/token' },
    ['client_assertion=vouched-for', 'client_id=client-2'],
  ],
  [
    'a secret of the environment first',
    {},
    () => ({ ...OF_SECRET, ...workload() }),
    { target: '/tenant-2/oauth2/v2.0/token' },
    ['client_secret=secret-2'],
  ],
  ['then what the orchestrator vouches for', {}, workload, {}, ['client_assertion=vouched-for']],
  ['then the identity of the machine', {}, () => ({}), { host: '169.254.169.254' }, []],
  [
    'half of a secret is none',
    {},
    () => ({ AZURE_CLIENT_ID: 'c', AZURE_CLIENT_SECRET: 's' }),
    { host: '169.254.169.254' },
    [],
  ],
])('the token is that of %s', async (_, field, environment, question, form) => {
  const { token, asked } = await lent(field, environment());
  expect(token).toBe('token-1');
  expect(asked).toHaveLength(1);
  expect(asked[0]).toMatchObject(question);
  for (const pair of form) expect(String(asked[0]?.form)).toContain(pair);
});

function workload(): Environment {
  return { AZURE_CLIENT_ID: 'client-2', AZURE_TENANT_ID: 'tenant-2', AZURE_FEDERATED_TOKEN_FILE: federated };
}

/** U-101: the platform takes one name. */
test.each<[Partial<typeof IDENTITY>, string]>([
  [IDENTITY, '&client_id=i'],
  [{ ...IDENTITY, clientId: '' }, '&object_id=o'],
  [{ ...IDENTITY, clientId: '', objectId: '' }, '&msi_res_id=r'],
  [{ clientId: '', objectId: '', resourceId: '' }, 'cognitiveservices.azure.com'],
])('of an identity %j the platform is told %s', async (identity, told) => {
  const { asked } = await lent({ managedIdentity: { ...IDENTITY, ...identity } }, {});
  expect(decodeURIComponent(asked[0]?.target ?? '').endsWith(told)).toBe(true);
});

test.each([
  ['a Secret that is not there', { secretRef: { name: 'gone' } }, {}],
  ['a workload identity that the environment does not name', { workloadIdentity: {} }, OF_SECRET],
  [
    'a token file that cannot be read',
    {},
    { ...OF_SECRET, AZURE_CLIENT_SECRET: undefined, AZURE_FEDERATED_TOKEN_FILE: '/gone' },
  ],
  ['an authority that is no URL', { secretRef: { name: 's' } }, { AZURE_AUTHORITY_HOST: 'login' }],
  ['an endpoint that is no URL', { managedIdentity: IDENTITY }, { IDENTITY_ENDPOINT: 'x', IDENTITY_HEADER: 'h' }],
])('for %s nobody is asked, and there is no token', async (_, field, environment) => {
  const clock = manualClock();
  const { services, asked } = endpoints(clock);
  const token = cloudBTokens(field, ORIGIN, environment).token(requestWith(clock, {}, { s: SECRET }), services);
  await expect(token).rejects.toMatchObject({ code: 'backendAuthenticationFailed' });
  expect(asked).toEqual([]);
});

test('a tenant is one segment of the path, whatever it is', async () => {
  const { asked } = await lent({ secretRef: { name: 's' } }, {}, { s: { ...SECRET, tenantID: '../evil?x=' } });
  expect(asked[0]?.target).toBe('/..%2Fevil%3Fx%3D/oauth2/v2.0/token');
});

test.each([
  ['model.openai.azure.test', 'https://cognitiveservices.azure.com/.default'],
  ['project.services.ai.azure.com', 'https://ai.azure.com/.default'],
])('at %s the token is for %s, and never the one for another', async (host, scope) => {
  const { asked } = await lent({ secretRef: { name: 's' } }, {}, { s: SECRET }, host);
  expect(asked[0]?.form.get('scope')).toBe(scope);
});

/** The platform writes numbers as texts, and some of its hosts say only when the token ends. */
test.each([
  [{ expires_in: '3600' }, 3_539, 3_541],
  [{ expires_on: '3600' }, 3_539, 3_541],
  [{}, 0, 0],
])('a token with %j is kept until a minute before its end', async (says, last, over) => {
  const clock = manualClock();
  const { services, asked } = endpoints(clock, (_, number) => ({ body: { access_token: `t-${number}`, ...says } }));
  const tokens = cloudBTokens({ managedIdentity: IDENTITY }, ORIGIN, {});
  const ask = (): Promise<string> => tokens.token(requestWith(clock), services);
  expect(await ask()).toBe('t-1');
  clock.advance(last * 1000);
  expect(await ask()).toBe(last === 0 ? 't-2' : 't-1');
  clock.advance((over - last) * 1000);
  expect(await ask()).toBe(last === 0 ? 't-3' : 't-2');
  expect(asked).toHaveLength(last === 0 ? 3 : 2);
});

async function lent(
  field: CloudBAuth,
  environment: Environment,
  secrets: Readonly<Record<string, Readonly<Record<string, string>>>> = { s: SECRET },
  host = 'backend.test',
): Promise<{ readonly token: string; readonly asked: readonly Question[] }> {
  const clock = manualClock();
  const { services, asked } = endpoints(clock);
  const request = requestWith(clock, {}, secrets);
  const targeted: Targeted = {
    ...request,
    backend: { ...request.backend, endpoints: [{ kind: 'tcp', host, port: 443 }] },
  };
  return { token: await cloudBTokens(field, ORIGIN, environment).token(targeted, services), asked };
}
