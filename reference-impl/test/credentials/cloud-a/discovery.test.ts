import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { wallTime } from '../../../base/clock.ts';
import { discoverKeys } from '../../../credentials/cloud-a/discovery.ts';
import { startUpstream, type Upstream } from '../../support/data-plane.ts';

/*
 * BAUTH-014: where keys are looked for without a Secret, and in which order. Every place of the order has keys of its own; one after the
 * other they go away.
 */

let folder = '';
let lender: Upstream;

beforeEach(async () => {
  folder = mkdtempSync(path.join(tmpdir(), 'discovery-'));
  lender = await startUpstream((request, response) => {
    response.end(answerOf(request.method ?? '', request.url ?? ''));
  });
  for (const name of Object.keys(process.env).filter((each) => each.startsWith('AWS_'))) vi.stubEnv(name, undefined);
  // Without these the SDK reads what the person who runs this test has at home.
  vi.stubEnv('HOME', folder);
  vi.stubEnv('AWS_CONFIG_FILE', path.join(folder, 'config'));
  vi.stubEnv('AWS_SHARED_CREDENTIALS_FILE', path.join(folder, 'credentials'));
  vi.stubEnv('AWS_EC2_METADATA_DISABLED', 'true');
});

afterEach(async () => {
  vi.unstubAllEnvs();
  await lender[Symbol.asyncDispose]();
  rmSync(folder, { recursive: true });
});

const END = '2035-01-01T00:00:00Z';

/** A token service, a container and an instance at one address. */
function answerOf(method: string, url: string): string {
  const keys = (of: string): object => ({ AccessKeyId: of, SecretAccessKey: 's', Token: 't', Expiration: END });
  if (url === '/container') return JSON.stringify(keys('CONTAINER'));
  if (url === '/latest/api/token') return 'imds';
  if (url.endsWith('/security-credentials/')) return 'role-of-instance';
  if (url.endsWith('/role-of-instance')) return JSON.stringify({ Code: 'Success', ...keys('INSTANCE') });
  const members = { AccessKeyId: 'WEBIDENTITY', SecretAccessKey: 's', SessionToken: 't', Expiration: END };
  const credentials = Object.entries(members).map(([name, text]) => `<${name}>${text}</${name}>`);
  const result = `<Credentials>${credentials.join('')}</Credentials>`;
  const action = 'AssumeRoleWithWebIdentity';
  return method === 'POST' ? `<${action}Response><${action}Result>${result}</${action}Result></${action}Response>` : '';
}

/** In the order of the SDK; the environment itself is asked first, without it: `cloud-a-keys.ts`. */
const PLACES: readonly (readonly [keys: string, give: () => void])[] = [
  [
    'ENVIRONMENT',
    () => {
      vi.stubEnv('AWS_ACCESS_KEY_ID', 'ENVIRONMENT');
      vi.stubEnv('AWS_SECRET_ACCESS_KEY', 's');
    },
  ],
  [
    'FILE',
    () => {
      const lines = ['[default]', 'aws_access_key_id = FILE', 'aws_secret_access_key = s', ''];
      writeFileSync(path.join(folder, 'credentials'), lines.join('\n'));
    },
  ],
  [
    'WEBIDENTITY',
    () => {
      writeFileSync(path.join(folder, 'token'), 'vouched-for');
      vi.stubEnv('AWS_WEB_IDENTITY_TOKEN_FILE', path.join(folder, 'token'));
      vi.stubEnv('AWS_ROLE_ARN', 'arn:aws:iam::123456789012:role/r');
      vi.stubEnv('AWS_REGION', 'us-east-1');
      vi.stubEnv('AWS_ENDPOINT_URL_STS', `http://127.0.0.1:${lender.port}`);
    },
  ],
  ['CONTAINER', () => vi.stubEnv('AWS_CONTAINER_CREDENTIALS_FULL_URI', `http://127.0.0.1:${lender.port}/container`)],
  [
    'INSTANCE',
    () => {
      vi.stubEnv('AWS_EC2_METADATA_DISABLED', undefined);
      vi.stubEnv('AWS_EC2_METADATA_SERVICE_ENDPOINT', `http://127.0.0.1:${lender.port}`);
    },
  ],
];

test.each(PLACES.map(([keys], index) => [keys, index] as const))(
  'the keys of %s are found before those of the places after it',
  async (keys, index) => {
    // The container and the instance exclude each other in the SDK: where a container is named, the instance is not asked.
    for (const [, give] of PLACES.slice(index)) give();
    const found = await discoverKeys();
    expect(found.keys.accessKey).toBe(keys);
    expect(found.keys.secretKey).toBe('s');
    const areLent = index >= 2;
    expect(found.keys.sessionToken).toBe(areLent ? 't' : undefined);
    // The SDK extends what an instance lent, for hours in which the instance cannot be asked.
    if (keys !== 'INSTANCE') expect(found.until).toBe(areLent ? wallTime(END) : undefined);
  },
);

test('where nothing is there nothing is found', async () => {
  await expect(discoverKeys()).rejects.toThrow();
  expect(lender.received).toEqual([]);
});
