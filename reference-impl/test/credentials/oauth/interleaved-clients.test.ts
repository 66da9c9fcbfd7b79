import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { z } from 'zod';
import { ProxyError } from '../../../base/proxy-error.ts';
import { crossAppAccess } from '../../../credentials/oauth/cross-app-access.ts';
import { tokenExchange } from '../../../credentials/oauth/token-exchange.ts';
import type { LentCredential } from '../../../credentials/lent-credential.ts';
import type { Request } from '../../../exchange/exchange.ts';
import { ORIGIN } from '../../support/inert.ts';
import { manualClock, type ManualClock } from '../../trace/manual-clock.ts';
import { backendRef, endpoints, jwt, requestWith, shown, type Endpoints, type Question, type Said } from './support.ts';

/*
 * A TOKEN OF ONE CLIENT IS NEVER USED FOR ANOTHER. Clients come in any order and together, by several policies that share one cache; tokens are
 * pushed out, end, and are forgotten; secrets are rotated; endpoints refuse, fail, send elsewhere, answer garbage, answer late or not at all;
 * clients go away. Every token says what it was given for, so whatever is sent upstream can be held against the request it is sent for.
 */

/** What an endpoint gives: everything it was told, and milliseconds of the clock. */
const deedSchema = z.strictObject({
  host: z.string(),
  subject: z.string().nullable(),
  actor: z.string().nullable(),
  audience: z.string().nullable(),
  tenant: z.string().nullable(),
  client: z.string().nullable(),
  askedAt: z.number(),
  answeredAt: z.number(),
  lifetime: z.number(),
});
type Deed = z.infer<typeof deedSchema>;

const MANNERS = [
  'good',
  'good',
  'good',
  'good',
  'good',
  'good',
  'late',
  'silent',
  400,
  401,
  503,
  307,
  'garbage',
  'no token',
] as const;
type Manner = (typeof MANNERS)[number];

const WHO = ['alice', 'bob', 'carol'] as const;
const CLIENT_AUTH = { clientId: 'c', secretRef: { name: 's' } };

/** How a request gets its token, and what that must have been given for. */
interface Way {
  readonly lent: (maxEntries: number) => LentCredential;
  readonly wanted: (request: Asking) => Omit<Deed, 'askedAt' | 'answeredAt' | 'lifetime'>;
}

interface Asking {
  readonly subject: string;
  readonly actor: string;
  readonly tenant: string;
  readonly secret: string;
}

const nobody = { actor: null, audience: null, tenant: null, client: null };
const other = { ...ORIGIN, name: 'another-policy' };

const WAYS: readonly Way[] = [
  {
    lent: (maxEntries) =>
      tokenExchange({ backendRef: backendRef('tokens'), cache: { inMemory: { maxEntries } } }, ORIGIN),
    wanted: ({ subject }) => ({ ...nobody, host: 'tokens.test', subject }),
  },
  {
    lent: () =>
      tokenExchange(
        {
          backendRef: backendRef('tokens'),
          audiences: ['a'],
          actorToken: { source: { header: { name: 'x-actor' } } },
          additionalParams: { tenant: "request.headers['x-tenant']" },
        },
        ORIGIN,
      ),
    wanted: ({ subject, actor, tenant }) => ({ ...nobody, host: 'tokens.test', subject, actor, tenant, audience: 'a' }),
  },
  {
    lent: (maxEntries) =>
      tokenExchange(
        {
          backendRef: backendRef('other'),
          grantType: 'JwtBearer',
          clientAuth: CLIENT_AUTH,
          cache: { inMemory: { maxEntries } },
        },
        other,
      ),
    wanted: ({ subject, secret }) => ({ ...nobody, host: 'other.test', subject, client: basic(`c:${secret}`) }),
  },
  {
    lent: (maxEntries) =>
      crossAppAccess(
        {
          identityProvider: { backendRef: backendRef('tokens'), clientAuth: CLIENT_AUTH },
          resourceAuthorizationServer: { backendRef: backendRef('other'), clientAuth: CLIENT_AUTH },
          audience: 'a',
          cache: { inMemory: { maxEntries } },
        },
        other,
      ),
    wanted: ({ subject, secret }) => ({
      ...nobody,
      host: 'other.test',
      subject: assertionFor(subject, secret),
      client: basic(`c:${secret}`),
    }),
  },
];

/** What the identity provider says of a client. */
function assertionFor(subject: string | null, secret: string): string {
  return `assertion for ${subject} by ${basic(`c:${secret}`)}`;
}

/** The last two of a client's tokens end by their own word; the first is opaque. */
const tokensOf = Promise.all([
  Promise.resolve('alice'),
  jwt({ sub: 'bob', exp: 100 }),
  jwt({ sub: 'carol', exp: 100_000 }),
]);

const step = fc.oneof(
  {
    weight: 14,
    arbitrary: fc.record({
      what: fc.constant('ask' as const),
      who: fc.nat(WHO.length - 1),
      way: fc.nat(WAYS.length - 1),
      actor: fc.constantFrom('x', 'y'),
      tenant: fc.constantFrom('blue', 'green'),
      stays: fc.integer({ min: 0, max: 9 }).map((number) => number > 0),
    }),
  },
  { weight: 2, arbitrary: fc.record({ what: fc.constant('behave' as const), manner: fc.constantFrom(...MANNERS) }) },
  {
    weight: 3,
    arbitrary: fc.record({
      what: fc.constant('pass' as const),
      seconds: fc.constantFrom(1, 1, 1, 4, 4, 9, 11, 30, 90, 290),
    }),
  },
  { weight: 2, arbitrary: fc.record({ what: fc.constant('rotate' as const), secret: fc.constantFrom('one', 'two') }) },
  {
    weight: 1,
    arbitrary: fc.record({ what: fc.constant('forget' as const), policy: fc.constantFrom('policy', 'none') }),
  },
  { weight: 2, arbitrary: fc.record({ what: fc.constant('settle' as const) }) },
);

test('whoever asks when, and whatever becomes of endpoints and caches', async () => {
  const tokens = await tokensOf;
  let sentUpstream = 0;
  let usedAgain = 0;
  /** Whether what is sent upstream was given for this request, and in time. */
  const look = async (request: Promise<Request>, beganAt: number, wanted: object): Promise<void> => {
    const sent = await request.catch(undefinedIfRefused);
    if (sent === undefined) return;
    const deed = deedIn(sent.headers.get('authorization') ?? '');
    expect(deed).toMatchObject(wanted);
    sentUpstream += 1;
    // One that was waited for is good for whoever waited.
    if (deed.answeredAt >= beganAt) return;
    usedAgain += 1;
    expect(beganAt).toBeLessThan(deed.askedAt + deed.lifetime - 15_000);
  };
  await fc.assert(
    fc.asyncProperty(fc.nat(3), fc.array(step, { maxLength: 80, size: 'max' }), async (maxEntries, steps) => {
      const clock = manualClock();
      const world = { manner: 'good' as Manner, secret: 'one' };
      const { services, asked } = servers(clock, () => world.manner);
      const ways = WAYS.map(({ lent, wanted }) => ({ lent: lent(maxEntries), wanted }));
      const underWay: Promise<void>[] = [];
      for (const one of steps) {
        if (one.what === 'behave') world.manner = one.manner;
        if (one.what === 'rotate') world.secret = one.secret;
        if (one.what === 'settle' || one.what === 'pass') await turn();
        if (one.what === 'pass') clock.advance(one.seconds * 1000);
        if (one.what === 'forget') services.tokens.retain((_, __, name) => name === one.policy);
        if (one.what !== 'ask') continue;
        const way = ways[one.way];
        const subject = tokens[one.who] ?? '';
        const asking: Asking = { subject, actor: one.actor, tenant: one.tenant, secret: world.secret };
        const headers = { authorization: `Bearer ${subject}`, 'x-actor': one.actor, 'x-tenant': one.tenant };
        const exchange = requestWith(clock, { headers }, { s: { clientSecret: world.secret } });
        if (way !== undefined)
          underWay.push(look(shown(way.lent, exchange, services), clock.wall(), way.wanted(asking)));
        if (!one.stays) exchange.cancellation.cancel(new ProxyError('clientGone'));
      }
      for (let round = 0; round < 4; round += 1) {
        await turn();
        clock.advance(30_000);
      }
      await Promise.all(underWay);
      for (const { host } of asked) expect(['tokens.test', 'other.test']).toContain(host);
    }),
    { numRuns: 100 },
  );
  expect(Math.min(sentUpstream, usedAgain)).toBeGreaterThan(10);
});

/** Endpoints that behave as they are told at the moment they are asked. */
function servers(clock: ManualClock, manner: () => Manner): Endpoints {
  return endpoints(clock, async (question, number): Promise<Said> => {
    const now = manner();
    const askedAt = clock.wall();
    if (typeof now === 'number') return { status: now, body: { error: 'invalid_grant', access_token: 'of nobody' } };
    if (now === 'garbage') return { body: 'no JSON' };
    if (now === 'no token') return { body: { token_type: 'Bearer' } };
    if (now === 'silent') return new Promise(() => {});
    if (now === 'late') await new Promise<void>((resolve) => void clock.after(5_000, resolve));
    return { body: answerTo(question, askedAt, clock.wall(), number) };
  });
}

const ID_JAG = 'urn:ietf:params:oauth:token-type:id-jag';

function answerTo(
  { host, form, authorization }: Question,
  askedAt: number,
  answeredAt: number,
  number: number,
): object {
  const subject = form.get('subject_token') ?? form.get('assertion');
  if (form.get('requested_token_type') === ID_JAG) {
    const assertion = `assertion for ${subject} by ${authorization}`;
    return { access_token: assertion, token_type: 'N_A', issued_token_type: ID_JAG, expires_in: 60 };
  }
  const seconds = [20, 120, 300][number % 3] ?? 0;
  const deed: Deed = {
    host,
    subject,
    actor: form.get('actor_token'),
    audience: form.get('audience'),
    tenant: form.get('tenant'),
    client: authorization ?? null,
    askedAt,
    answeredAt,
    lifetime: seconds * 1000,
  };
  const token = Buffer.from(JSON.stringify(deed)).toString('base64url');
  return { access_token: token, token_type: 'Bearer', expires_in: seconds };
}

/** A request that the proxy refuses is not sent; any other failure is one of the test. */
function undefinedIfRefused(error: unknown): undefined {
  if (!(error instanceof ProxyError)) throw error;
}

function deedIn(authorization: string): Deed {
  const [, token = ''] = /^Bearer ([\w-]+)$/.exec(authorization) ?? [];
  return deedSchema.parse(JSON.parse(Buffer.from(token, 'base64url').toString()));
}

function basic(pair: string): string {
  return `Basic ${Buffer.from(pair).toString('base64')}`;
}

function turn(): Promise<void> {
  return new Promise((resolve) => void setImmediate(resolve));
}
