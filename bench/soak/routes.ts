/*
 * What the soak asks for and which answers the policies allow: everything else is a finding. `steady` is an upstream
 * that nobody touches; every other peer is killed and started again all the time.
 */

/** The servers beside the proxy, each a process of its own. */
export const PEERS = ['steady', 'flaky', 'authorization', 'processor', 'limits', 'keys'] as const;
export type PeerName = (typeof PEERS)[number];

/** Peers as `conform mocks up` starts them. */
export const SCRIPTS: Readonly<Record<PeerName, Readonly<Record<string, unknown>>>> = {
  steady: { kind: 'http', reply: { status: 200, body: 'steady' } },
  flaky: { kind: 'http', reply: { status: 200, body: 'flaky' } },
  authorization: { kind: 'extauth' },
  processor: { kind: 'extproc' },
  limits: { kind: 'ratelimit' },
  keys: { kind: 'idp', issuer: 'https://soak.test', jwksPath: '/keys', keys: [{ kid: 'k1', alg: 'ES256' }] },
};

export interface Ask {
  readonly name: string;
  readonly method: 'GET' | 'POST' | 'OPTIONS';
  readonly path: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string;
  /** Statuses the policies of the route allow, whatever happens to the peers; `cut`: an answer may end in the middle. */
  readonly allowed: readonly (number | 'cut')[];
  /** Statuses of which each must come at least once in a run. */
  readonly seen: readonly number[];
}

const TOKEN = 'TOKEN';

/** Takes the token the run was given where an ask says so. */
export function asks(token: string): readonly Ask[] {
  return ASKS.map((ask) => ({
    ...ask,
    headers: Object.fromEntries(
      Object.entries(ask.headers ?? {}).map(([name, value]) => [name, value.replace(TOKEN, token)]),
    ),
  }));
}

const ASKS: readonly Ask[] = [
  { name: 'plain', method: 'GET', path: '/plain', allowed: [200], seen: [200] },
  { name: 'flaky', method: 'GET', path: '/flaky', allowed: [200, 503], seen: [200, 503] },
  { name: 'retried', method: 'POST', path: '/retried', body: 'again', allowed: [200, 503], seen: [200] },
  {
    name: 'token',
    method: 'GET',
    path: '/token',
    headers: { authorization: `Bearer ${TOKEN}` },
    allowed: [200],
    seen: [200],
  },
  {
    name: 'bad token',
    method: 'GET',
    path: '/token',
    headers: { authorization: 'Bearer a.b.c' },
    allowed: [401],
    seen: [401],
  },
  {
    name: 'fetched keys',
    method: 'GET',
    path: '/remote',
    // Its issuer is the one whose keys have to be fetched, its key is none of those.
    headers: { authorization: `Bearer ${TOKEN}` },
    allowed: [401],
    seen: [401],
  },
  { name: 'key', method: 'GET', path: '/key', headers: { authorization: 'Bearer good' }, allowed: [200], seen: [200] },
  {
    name: 'bad key',
    method: 'GET',
    path: '/key',
    headers: { authorization: 'Bearer bad' },
    allowed: [401],
    seen: [401],
  },
  {
    name: 'user',
    method: 'GET',
    path: '/user',
    headers: { authorization: `Basic ${btoa('alice:wonder')}` },
    allowed: [200],
    seen: [200],
  },
  {
    name: 'bad user',
    method: 'GET',
    path: '/user',
    headers: { authorization: `Basic ${btoa('alice:wander')}` },
    allowed: [401],
    seen: [401],
  },
  { name: 'asked', method: 'GET', path: '/asked', allowed: [200, 403], seen: [200, 403] },
  { name: 'asked, open', method: 'GET', path: '/asked-open', allowed: [200], seen: [200] },
  {
    name: 'processed',
    method: 'POST',
    path: '/processed',
    body: 'x'.repeat(4000),
    // A processor that is lost inside the body of an answer takes the rest of it along.
    allowed: [200, 500, 'cut'],
    seen: [200, 500],
  },
  { name: 'counted', method: 'GET', path: '/counted', allowed: [200, 500], seen: [200, 500] },
  { name: 'counted, open', method: 'GET', path: '/counted-open', allowed: [200], seen: [200] },
  { name: 'limited', method: 'GET', path: '/limited', allowed: [200, 429], seen: [200, 429] },
  { name: 'buffered', method: 'POST', path: '/buffered', body: 'x'.repeat(1000), allowed: [200], seen: [200] },
  { name: 'too large', method: 'POST', path: '/buffered', body: 'x'.repeat(1025), allowed: [413], seen: [413] },
  {
    name: 'foreign origin',
    method: 'POST',
    path: '/csrf',
    headers: { origin: 'https://evil.test' },
    body: 'x',
    allowed: [403],
    seen: [403],
  },
  {
    name: 'exchanged',
    method: 'GET',
    path: '/exchanged',
    headers: { authorization: 'Bearer of-alice' },
    // Until there is a token, a token endpoint that is down is felt.
    allowed: [200, 500],
    seen: [200],
  },
  { name: 'transformed', method: 'POST', path: '/transformed', body: '{"model":"m"}', allowed: [200], seen: [200] },
  { name: 'direct', method: 'GET', path: '/direct', allowed: [418], seen: [418] },
  { name: 'delayed', method: 'GET', path: '/delayed', allowed: [200], seen: [200] },
  { name: 'nowhere', method: 'GET', path: '/nowhere', allowed: [404], seen: [404] },
];
