import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { effectivePolicyFor, type EffectivePhase } from '../../../attachment/policy-query.ts';
import { describeEffective } from '../../../attachment/policies/effective-policy.ts';
import { buildView } from '../../../attachment/view.ts';
import type { Resource, ResourceOf } from '../../../resources/kinds.ts';
import { backend, gateway, policy, request, resource, route, snapshotWith } from '../support/resources.ts';

const base: readonly Resource[] = [
  gateway('gw'),
  gateway('other', [{ port: 3001 }]),
  route('r'),
  route('sibling', { hostnames: ['sibling.test'] }),
  backend('b'),
  backend('unused'),
];

function effective(resources: readonly Resource[], phase: EffectivePhase = 'route'): object {
  const answer = effectivePolicyFor(snapshotWith(...resources), { phase, gateway: 'gw', route: 'r' });
  if (!answer.ok) throw new Error(answer.problem);
  return describeEffective(answer.effective);
}

const timeouts = (request_: string) => ({ traffic: { timeouts: { request: request_ } } });
const deny = (expression: string) => ({ action: 'Deny', policy: { matchExpressions: [expression] } });
const modifiers = (side: string) => ({
  traffic: { headerModifiers: { [side]: { remove: [side] } } },
});
const at = (creationTimestamp: string) => ({ creationTimestamp });
const connect = (connectTimeout: string) => ({ backend: { tcp: { connectTimeout } } });
const size = (maxBufferSize: string) => ({ frontend: { http: { maxBufferSize } } });

describe('traffic', () => {
  test('each level beats the ones above it, field by field', () => {
    const targets = ['Gateway/gw', 'Gateway/gw#http', 'HTTPRoute/r', 'HTTPRoute/r#rule'];
    targets.forEach((_, last) => {
      const policies = targets
        .slice(0, last + 1)
        .map((target, level) => policy(`p${level}`, target, timeouts(`${level + 1}s`)));
      expect(effective([...base, ...policies])).toEqual({ timeouts: { request: `${last + 1}s` } });
    });
  });

  test('a field is replaced as a whole', () => {
    const policies = [
      policy('low', 'Gateway/gw', modifiers('request')),
      policy('high', 'HTTPRoute/r', modifiers('response')),
    ];
    expect(effective([...base, ...policies])).toEqual({ headerModifiers: { response: { remove: ['response'] } } });
  });

  test('authorization adds up over the levels, and one rule prints as it was written', () => {
    const low = policy('low', 'Gateway/gw', { traffic: { authorization: deny('false') } });
    const high = policy('high', 'HTTPRoute/r', { traffic: { authorization: deny('true') } });
    expect(effective([...base, high])).toEqual({ authorization: deny('true') });
    expect(effective([...base, high, low])).toEqual({ authorization: [deny('false'), deny('true')] });
  });

  test('Override excludes every policy below, whatever it sets, and none above', () => {
    const override = { strategy: { inheritance: 'Override' }, ...timeouts('2s') };
    const policies = [
      policy('top', 'Gateway/gw', { traffic: { delay: { duration: '1s' } } }),
      policy('lock', 'Gateway/gw#http', override),
      policy('low', 'HTTPRoute/r', { traffic: { timeouts: { request: '9s' }, csrf: {} } }),
      policy('lower', 'HTTPRoute/r#rule', { strategy: { inheritance: 'Override' }, ...timeouts('8s') }),
    ];
    expect(effective([...base, ...policies])).toEqual({ timeouts: { request: '2s' }, delay: { duration: '1s' } });
  });

  test('filters and timeouts of the rule are the most specific level; Override keeps its own fields only', () => {
    const filter = { type: 'RequestHeaderModifier', requestHeaderModifier: { remove: ['x'] } };
    const rules = [{ name: 'rule', filters: [filter], timeouts: { request: '7s' } }];
    const resources = [gateway('gw'), route('r', { rules })];
    const headerModifiers = { request: { remove: ['x'] } };
    expect(effective([...resources, policy('p', 'HTTPRoute/r#rule', timeouts('1s'))])).toEqual({
      headerModifiers,
      timeouts: { request: '7s' },
    });
    const override = policy('p', 'Gateway/gw', { strategy: { inheritance: 'Override' }, ...timeouts('1s') });
    expect(effective([...resources, override])).toEqual({ headerModifiers, timeouts: { request: '1s' } });
  });

  test('the phases do not mix', () => {
    const pre = policy('pre', 'Gateway/gw', {
      traffic: { phase: 'PreRouting', cors: { allowOrigins: ['https://pre.test'] } },
    });
    const post = policy('post', 'Gateway/gw', { traffic: { cors: { allowOrigins: ['https://post.test'] } } });
    expect(effective([...base, pre, post], 'gateway')).toEqual({ cors: { allowOrigins: ['https://pre.test'] } });
    expect(effective([...base, pre, post], 'route')).toEqual({ cors: { allowOrigins: ['https://post.test'] } });
  });

  test('of one level the oldest wins, then the first by name', () => {
    const policies = [
      policy('c', 'Gateway/gw', timeouts('3s'), at('2026-01-01T12:00:00Z')),
      policy('b', 'Gateway/gw', timeouts('2s'), at('2026-01-01T12:30:00+01:00')),
      policy('a', 'Gateway/gw', timeouts('1s'), at('2026-01-01T11:30:00.000Z')),
    ];
    expect(effective([...base, ...policies])).toEqual({ timeouts: { request: '1s' } });
    expect(effective([...base, ...policies.slice(0, 2)])).toEqual({ timeouts: { request: '2s' } });
  });
});

describe('backend', () => {
  test('the destination beats the route, and its own policies beat everything', () => {
    const policies = [
      policy('gateway', 'Gateway/gw', { backend: { tcp: { connectTimeout: '1s' }, http: { requestTimeout: '1s' } } }),
      policy('rule', 'HTTPRoute/r#rule', connect('2s')),
      policy('backend', 'ProxyBackend/b', connect('3s')),
    ];
    const http = { requestTimeout: '1s' };
    expect(effective([...base, ...policies.slice(0, 2)], 'backend')).toEqual({ http, tcp: { connectTimeout: '2s' } });
    expect(effective([...base, ...policies], 'backend')).toEqual({ http, tcp: { connectTimeout: '3s' } });
    const own = backend('b', { policies: { tcp: { connectTimeout: '4s' } } });
    const replaced = [...base.filter((each) => each.kind !== 'ProxyBackend'), own, ...policies];
    expect(effective(replaced, 'backend')).toEqual({ http, tcp: { connectTimeout: '4s' } });
  });

  test('Override of a traffic policy leaves backend policies alone', () => {
    const override = policy('o', 'Gateway/gw', { strategy: { inheritance: 'Override' }, ...timeouts('1s') });
    expect(effective([...base, override, policy('p', 'HTTPRoute/r', connect('2s'))], 'backend')).toEqual({
      tcp: { connectTimeout: '2s' },
    });
  });

  test('sectionName on a Service is one of its ports, by number or name', () => {
    const service = resource('Service', 's', {
      spec: {
        ports: [
          { name: 'web', port: 80 },
          { name: 'alt', port: 81 },
        ],
      },
    });
    const rules = [80, 81].map((port) => ({ name: `to-${port}`, backendRefs: [{ name: 's', port }] }));
    const resources = [gateway('gw'), route('r', { rules }), service];
    const policies = [policy('n', 'Service/s#80', connect('2s')), policy('w', 'Service/s#alt', connect('3s'))];
    const of = (rule: string) => {
      const answer = effectivePolicyFor(snapshotWith(...resources, ...policies), { phase: 'backend', rule });
      return answer.ok && describeEffective(answer.effective);
    };
    expect([of('to-80'), of('to-81')]).toEqual([{ tcp: { connectTimeout: '2s' } }, { tcp: { connectTimeout: '3s' } }]);
  });
});

test('what is said about an agent runtime is one answer, however many rules lead there', () => {
  const agentRuntimeArn = 'arn:aws:bedrock-agentcore:us-east-1:123456789012:runtime/r';
  const runtime = resource('ProxyBackend', 'b', { spec: { cloudA: { agentCore: { agentRuntimeArn } } } });
  const backendRefs = [{ group: 'proxy.example', kind: 'ProxyBackend', name: 'b' }];
  const rules = ['one', 'two'].map((name) => ({ name, backendRefs }));
  const resources = [gateway('gw'), route('r', { rules }), runtime];
  expect(effective(resources, 'backend')).toEqual({ tls: {} });
});

test('a frontend policy for one port of the Gateway beats the one for all of it', () => {
  const gateways = [gateway('gw', [{ name: 'a' }, { name: 'b', port: 3001 }])];
  const snapshot = snapshotWith(
    ...gateways,
    policy('all', 'Gateway/gw', { frontend: { ...size('1Ki').frontend, connect: { mode: 'Deny' } } }),
    policy('one', 'Gateway/gw:3001', size('2Ki')),
  );
  const { binds } = buildView(snapshot);
  expect(binds.get(3000)?.listeners[0]?.frontend).toMatchObject({ http: { maxBufferSize: '1Ki' } });
  expect(binds.get(3001)?.listeners[0]?.frontend).toMatchObject({
    http: { maxBufferSize: '2Ki' },
    connect: { mode: 'Deny' },
  });
});

describe('properties', () => {
  const TARGETS = ['Gateway/gw', 'Gateway/gw#http', 'HTTPRoute/r', 'HTTPRoute/r#rule'] as const;
  const FIELDS = ['timeouts', 'delay', 'csrf', 'hostRewrite'] as const;
  /** A value of the field that tells which policy wrote it. */
  const VALUES = {
    timeouts: (mark: number) => ({ request: `${mark}s` }),
    delay: (mark: number) => ({ duration: `${mark}s` }),
    csrf: (mark: number) => ({ additionalOrigins: [`https://o${mark}.test`] }),
    hostRewrite: (mark: number) => ({ mode: mark % 2 === 0 ? 'Auto' : 'None' }),
  };
  interface Written {
    readonly level: number;
    readonly fields: readonly (typeof FIELDS)[number][];
    readonly override: boolean;
    readonly day: number;
  }
  const written: fc.Arbitrary<readonly Written[]> = fc.array(
    fc.record({
      level: fc.nat(TARGETS.length - 1),
      fields: fc.uniqueArray(fc.constantFrom(...FIELDS), { minLength: 1 }),
      override: fc.boolean(),
      day: fc.integer({ min: 1, max: 3 }),
    }),
    { maxLength: 8 },
  );
  const inAnyOrder = written.chain((all) =>
    fc.record({
      all: fc.constant(all),
      order: fc.shuffledSubarray([...all.keys()], { minLength: all.length }),
    }),
  );
  const sectionOf = ({ fields }: Written, mark: number) =>
    Object.fromEntries(fields.map((field) => [field, VALUES[field](mark)]));

  function policies(all: readonly Written[], targets: readonly string[] = TARGETS): ResourceOf<'ProxyPolicy'>[] {
    return all.map((each, mark) =>
      policy(
        `p${mark}`,
        targets[each.level] ?? '',
        { traffic: sectionOf(each, mark + 1), strategy: { inheritance: each.override ? 'Override' : 'Default' } },
        { creationTimestamp: `2026-01-0${each.day}T00:00:00Z` },
      ),
    );
  }

  /** From the clauses: drop what an Override excludes; then, most specific and oldest first, whoever sets a field wins. */
  function model(all: readonly Written[]): object {
    const limit = Math.min(...all.filter(({ override }) => override).map(({ level }) => level), TARGETS.length);
    const ranked = all
      .map((each, mark) => ({ ...each, mark }))
      .filter(({ level }) => level <= limit)
      .toSorted((a, b) => b.level - a.level || a.day - b.day || a.mark - b.mark);
    const winner = (field: (typeof FIELDS)[number]) => ranked.find(({ fields }) => fields.includes(field));
    return Object.fromEntries(
      FIELDS.flatMap((field) => {
        const won = winner(field);
        return won === undefined ? [] : [[field, VALUES[field](won.mark + 1)]];
      }),
    );
  }

  test('the merge agrees with the clauses, in any order of the resources', () => {
    fc.assert(
      fc.property(inAnyOrder, ({ all, order }) => {
        const inOrder = policies(all);
        const shuffled = order.flatMap((index) => inOrder[index] ?? []);
        expect(effective([...shuffled, ...base])).toEqual(model(all));
      }),
    );
  });

  test('policies of other targets change nothing', () => {
    const elsewhere = ['Gateway/other', 'Gateway/gw#no-such', 'HTTPRoute/sibling', 'HTTPRoute/r#no-such'];
    fc.assert(
      fc.property(written, written, (mine, others) => {
        const foreign = policies(others, elsewhere).map((each) => ({
          ...each,
          metadata: { ...each.metadata, name: `x${each.metadata.name}` },
        }));
        expect(effective([...base, ...policies(mine), ...foreign])).toEqual(model(mine));
      }),
    );
  });

  test('equal contributions are one object, in every generation and for every route', () => {
    fc.assert(
      fc.property(written, (all) => {
        const above = policies(all.map((each) => ({ ...each, level: each.level % 2 })));
        const ruleOf = (host: string) =>
          buildView(snapshotWith(...base, ...above))
            .binds.get(3000)
            ?.listeners[0]?.selectRoute(request(host, '/'));
        const [one, other, again] = [ruleOf('x.test'), ruleOf('sibling.test'), ruleOf('x.test')];
        expect(one?.key).toBe('ns/r.0');
        expect(other?.key).toBe('ns/sibling.0');
        expect(other?.postRouting).toBe(one?.postRouting);
        expect(again?.postRouting).toBe(one?.postRouting);
      }),
    );
  });

  test('every field is the very object one policy wrote, and sources name that policy', () => {
    fc.assert(
      fc.property(written, (all) => {
        const resources = policies(all);
        const answer = effectivePolicyFor(snapshotWith(...base, ...resources), {
          phase: 'route',
          gateway: 'gw',
          route: 'r',
        });
        expect(answer.ok).toBe(true);
        if (!answer.ok) return;
        const { sources, ...fields } = answer.effective;
        expect(Object.keys(sources).toSorted()).toEqual(Object.keys(fields).toSorted());
        for (const [field, value] of Object.entries(fields) as [string, unknown][]) {
          const source = resources.find(({ metadata }) => metadata.name === sources[field]?.[0]?.name);
          const traffic: object = source?.spec.traffic ?? {};
          expect(Object.entries(traffic).find(([name]) => name === field)?.[1]).toBe(value);
        }
      }),
    );
  });
});
