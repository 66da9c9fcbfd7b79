import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { rfc3339 } from '../../../base/clock.ts';
import { cloudASigner } from '../../../credentials/cloud-a/cloud-a-signer.ts';
import type { Discover } from '../../../credentials/cloud-a/discovery.ts';
import type { Environment } from '../../../credentials/environment.ts';
import { requestVariables } from '../../../exchange/request-state.ts';
import type { CloudAAuth } from '../../../resources/proxy-policy/fields/auth/cloud.ts';
import { ORIGIN } from '../../support/inert.ts';
import { manualClock, type ManualClock } from '../../trace/manual-clock.ts';
import { endpoints, type Endpoints, type Question, requestWith } from '../oauth/support.ts';

const ROLE = 'arn:aws:iam::123456789012:role/reader';
const ENVIRONMENT: Environment = { AWS_ACCESS_KEY_ID: 'AMBIENT', AWS_SECRET_ACCESS_KEY: 's' };
const WHO = "request.headers['x-who']";
const FIELD: CloudAAuth = {
  region: 'us-east-1',
  serviceName: 'execute-api',
  assumeRole: { roleArn: ROLE, sessionNameExpression: WHO, tags: [{ key: 'who', expression: WHO }] },
};

/** The token service lends keys that say for whom they are and how often it was asked; until the hour is over. */
function answerOf({ form }: Question, number: number, end: number): { readonly body: string } {
  const members = {
    AccessKeyId: 'ASIA',
    SecretAccessKey: 's',
    SessionToken: `${form.get('RoleSessionName')}/${form.get('Tags.member.1.Value')}/${number}`,
    Expiration: rfc3339(end),
  };
  return {
    body: Object.entries(members)
      .map(([name, text]) => `<${name}>${text}</${name}>`)
      .join(''),
  };
}

function lender(clock: ManualClock): Endpoints {
  return endpoints(clock, (question, number) => answerOf(question, number, clock.wall() + 3_600_000));
}

const NOTHING: Discover = () => Promise.reject(new Error('nothing found'));

/** The session token that the request is signed with. */
async function tokenFor(
  who: string | undefined,
  clock: ManualClock,
  { services }: Pick<Endpoints, 'services'>,
  {
    field = FIELD,
    environment = ENVIRONMENT,
    discover = NOTHING,
  }: { field?: CloudAAuth; environment?: Environment; discover?: Discover } = {},
): Promise<string | undefined> {
  const exchange = requestWith(clock, { headers: who === undefined ? {} : { 'x-who': who } });
  const sign = cloudASigner(field, ORIGIN, { environment, discover }).signFor(requestVariables(exchange), services);
  const request = await sign(exchange);
  expect(request.headers.get('authorization')).toMatch(/^AWS4-HMAC-SHA256 /);
  return request.headers.get('x-amz-security-token');
}

describe('keys of a role', () => {
  test('are used again for the same session until a minute before their end', async () => {
    const clock = manualClock();
    const told = lender(clock);
    expect(await tokenFor('alice', clock, told)).toBe('alice/alice/1');
    clock.advance(3_539_000);
    expect(await tokenFor('alice', clock, told)).toBe('alice/alice/1');
    clock.advance(2_000);
    expect(await tokenFor('alice', clock, told)).toBe('alice/alice/2');
  });

  test('are asked for once by a thousand requests at the same time', async () => {
    const clock = manualClock();
    const told = lender(clock);
    const tokens = await Promise.all(Array.from({ length: 1_000 }, () => tokenFor('alice', clock, told)));
    expect(new Set(tokens)).toEqual(new Set(['alice/alice/1']));
    expect(told.asked).toHaveLength(1);
  });

  test('are never those of another session, whoever comes when, and whether or not they can be had', async () => {
    const client = fc.constantFrom('alice', 'bob', 'carol', 'dave');
    const step = fc.record({ client, seconds: fc.nat(4_000), together: fc.nat(3), fails: fc.boolean() });
    await fc.assert(
      fc.asyncProperty(fc.array(step, { maxLength: 20 }), async (steps) => {
        const clock = manualClock();
        let fails = false;
        const told = endpoints(clock, (question, number) =>
          fails ? { status: 403 } : answerOf(question, number, clock.wall() + 3_600_000),
        );
        const ask = async (who: string): Promise<void> => {
          const token = await tokenFor(who, clock, told).catch(() => undefined);
          if (token !== undefined) expect(token).toMatch(`${who}/${who}/`);
        };
        for (const { client: first, seconds, together, fails: now } of steps) {
          fails = now;
          await Promise.all([first, ...['alice', 'bob', 'carol'].slice(0, together)].map(ask));
          clock.advance(seconds * 1000);
        }
      }),
      { numRuns: 60 },
    );
  });

  test.each<[string, Partial<CloudAAuth>, Environment]>([
    ['region', { region: 'eu-west-1' }, ENVIRONMENT],
    ['role', { assumeRole: { ...FIELD.assumeRole, roleArn: `${ROLE}-2` } }, ENVIRONMENT],
    [
      'tag',
      { assumeRole: { roleArn: ROLE, sessionNameExpression: WHO, tags: [{ key: 'x', value: 'y' }] } },
      ENVIRONMENT,
    ],
    ['base', {}, { ...ENVIRONMENT, AWS_ACCESS_KEY_ID: 'ANOTHER' }],
  ])('are asked for again for another %s', async (_, field, environment) => {
    const clock = manualClock();
    const told = lender(clock);
    await tokenFor('alice', clock, told);
    await tokenFor('alice', clock, told, { field: { ...FIELD, ...field }, environment });
    expect(told.asked).toHaveLength(2);
  });

  test('are asked for at the service of the region, unless the environment says where', async () => {
    const clock = manualClock();
    const told = lender(clock);
    for (const [region, more] of [
      ['eu-west-1', {}],
      ['cn-north-1', {}],
      ['us-east-1', { AWS_ENDPOINT_URL: 'https://all.test' }],
      ['us-east-1', { AWS_ENDPOINT_URL: 'https://all.test', AWS_ENDPOINT_URL_STS: 'https://sts.test' }],
    ] as const)
      await tokenFor('alice', clock, told, {
        field: { ...FIELD, region },
        environment: { ...ENVIRONMENT, ...more, AWS_ACCESS_KEY_ID: `${region}${JSON.stringify(more).length}` },
      });
    expect(told.asked.map(({ host }) => host)).toEqual([
      'sts.eu-west-1.amazonaws.com',
      'sts.cn-north-1.amazonaws.com.cn',
      'all.test',
      'sts.test',
    ]);
  });
});

describe('BAUTH-018: nobody is asked, and nothing is signed', () => {
  test.each([
    ['without a name', undefined],
    ['for a name that is too short', 'a'],
    ['for a name that is too long', 'x'.repeat(65)],
    ['for a name with a line end', 'alice\n'],
    ['for a name with a slash', 'alice/bob'],
    ['for a name with letters of another script', 'алиса'],
  ])('%s', async (_, who) => {
    const clock = manualClock();
    const told = lender(clock);
    await expect(tokenFor(who, clock, told)).rejects.toMatchObject({ code: 'backendAuthenticationFailed' });
    expect(told.asked).toEqual([]);
  });
});

test('keys that discovery found are used until a minute before their end, and then looked for again', async () => {
  const clock = manualClock();
  let found = 0;
  const discover: Discover = async () => {
    found += 1;
    return { keys: { accessKey: 'A', secretKey: 's', sessionToken: `found-${found}` }, until: clock.wall() + 600_000 };
  };
  const told = { services: endpoints(clock).services };
  const field = { region: 'r', serviceName: 's' };
  const ask = (): Promise<string | undefined> => tokenFor(undefined, clock, told, { field, environment: {}, discover });
  expect(await ask()).toBe('found-1');
  clock.advance(539_000);
  expect(await ask()).toBe('found-1');
  clock.advance(1_000);
  expect(await ask()).toBe('found-2');
});
