import { readFileSync } from 'node:fs';
import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { parseAllDocuments } from 'yaml';
import { admit } from '../../admission/admit.ts';
import { pathText } from '../../admission/violation.ts';
import { isFields } from '../../resources/groups.ts';
import { KINDS } from '../../resources/kinds.ts';
import { auth, fragment, model, parameters, policy, traffic } from './fragments.ts';

function messages(value: unknown): string[] {
  const admission = admit(value);
  return admission.ok ? [] : admission.violations.map(({ path, message }) => `${pathText(path)}: ${message}`);
}

test('a resource comes back as it was written, with nothing filled in but the namespace', () => {
  const written = traffic({ authorization: { policy: { matchExpressions: ['true'] } } });
  const admission = admit(written);
  expect(admission).toMatchObject({ ok: true, warnings: [] });
  expect(admission.ok && admission.resource).toEqual({
    ...Object(written),
    metadata: { name: 'x', namespace: 'default' },
  });
});

test('cluster-wide kinds get no namespace', () => {
  const admission = admit({ apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'n' } });
  expect(admission.ok && admission.resource.metadata).toEqual({ name: 'n' });
});

test('everything that is wrong is reported at once, rules of groups beside wrong fields', () => {
  const value = policy({
    targetSelectors: [],
    traffic: { timeouts: { request: 'soon' }, directResponse: { status: 1 } },
  });
  expect(messages(value).map((text) => text.split(':')[0])).toEqual([
    'spec.targetSelectors',
    'spec.traffic.timeouts.request',
    'spec.traffic.directResponse.status',
  ]);
});

test('an unknown field does not hide what the rules find', () => {
  const value = fragment(`{
    apiVersion: proxy.example/v1alpha1, kind: ProxyPolicy, metadata: {name: p}, spec: {
      targetRefs: [{group: "", kind: Service, name: s}], traffic: {timeout: {}}}}`);
  expect(messages(value)).toEqual([
    'spec.traffic.timeout: unknown field "timeout"; did you mean "timeouts"?',
    'spec.targetRefs[0]: a traffic policy targets a Gateway, ListenerSet or Route, not a Service',
  ]);
});

test.each([
  [traffic({ timeout: {} }), 'spec.traffic.timeout: unknown field "timeout"; did you mean "timeouts"?'],
  [
    traffic({ directResponse: { status: 200, boddy: 'x' } }),
    'spec.traffic.directResponse.boddy: unknown field "boddy"; did you mean "body"?',
  ],
  [traffic({ zzz: 1 }), 'spec.traffic.zzz: unknown field "zzz"'],
  [traffic({ authorization: {} }), 'spec.traffic.authorization.policy: required'],
  [traffic({ directResponse: {} }), 'spec.traffic.directResponse.status: required'],
  [traffic({ directResponse: { conditional: [{}] } }), 'spec.traffic.directResponse.conditional[0].policy: required'],
  [{ apiVersion: 'v1', kind: 'Gatewya' }, 'kind: unknown kind "Gatewya"; did you mean "Gateway"?'],
  [
    { apiVersion: 'proxy.example/v1', kind: 'ProxyPolicy' },
    'apiVersion: ProxyPolicy is served in proxy.example/v1alpha1, not in version "proxy.example/v1"',
  ],
  [{ kind: 'ProxyPolicy' }, 'apiVersion: apiVersion is required'],
  [JSON.parse('{"a": {"__proto__": {}}}'), 'a.__proto__: this key is not allowed'],
  ['text', ': must be an object with apiVersion, kind and metadata'],
])('%j', (value: unknown, message) => {
  expect(messages(value)).toContain(message);
});

test('a member that is null counts as not written, as on an API server', () => {
  const nulls = traffic({ timeouts: { request: '1s' }, retry: null, directResponse: { status: 200, headers: null } });
  const admission = admit({ ...Object(nulls), metadata: { name: 'x', labels: null, creationTimestamp: null } });
  expect(admission.ok && admission.resource).toMatchObject({
    metadata: { name: 'x', namespace: 'default', creationTimestamp: null },
    spec: { traffic: { timeouts: { request: '1s' }, directResponse: { status: 200 } } },
  });
  expect(JSON.stringify(admission)).not.toMatch(/"(retry|headers|labels)"/);
});

test.each([
  [traffic({ timeouts: { request: null } }), []],
  [traffic({ directResponse: { status: null } }), ['spec.traffic.directResponse.status: required']],
  [traffic({ zzz: null }), ['spec.traffic.zzz: unknown field "zzz"']],
  [
    traffic({ authorization: { policy: { matchExpressions: [null] } } }),
    ['spec.traffic.authorization.policy.matchExpressions[0]: expected string, received null'],
  ],
])('%j with a null', (value, expected) => {
  expect(messages(value)).toEqual(expected);
});

test('a null stays where a value may be anything', () => {
  const claims = { sub: null, list: [null] };
  const signed = admit(auth({ jwtSign: { signingKeyRef: { name: 'k' }, claims } }));
  expect(signed).toMatchObject({ resource: { spec: { backend: { auth: { jwtSign: { claims } } } } } });
  const overlay = { spec: { replicas: null, template: { a: null } } };
  const overlaid = admit(parameters({ deployment: overlay }));
  expect(overlaid).toMatchObject({ resource: { spec: { deployment: overlay } } });
});

test('an empty namespace is none', () => {
  const value = traffic({ timeouts: { request: '1s' } });
  const admission = admit({ ...Object(value), metadata: { name: 'x', namespace: '' } });
  expect(admission).toMatchObject({ resource: { metadata: { name: 'x', namespace: 'default' } } });
});

test.each(['iat', 'exp', 'nbf'])('ADMIT-141: the claim %s is refused at translation, so it is a warning', (claim) => {
  const claims = { sub: 'a', [claim]: 1, jwtSign: { claims: { iat: 1 } } };
  const admission = admit(auth({ jwtSign: { signingKeyRef: { name: 'k' }, claims } }));
  expect(admission.ok && admission.warnings).toEqual([
    {
      path: ['spec', 'backend', 'auth', 'jwtSign', 'claims'],
      message: 'iat, exp, nbf are set by the proxy and cannot be given',
      clause: 'ADMIT-141',
    },
  ]);
});

test('expressions that do not compile are warnings, wherever the schema has one', () => {
  const value = traffic(
    fragment(`{
      transformation: {conditional: [{condition: BAD, policy: {request: {set: [{name: a, value: BAD}], metadata: {k: BAD}}}}]},
      authorization: {policy: {matchExpressions: ["true", BAD]}},
      directResponse: {status: 200, body: BAD}}`),
  );
  const admission = admit(value, (text) => (text === 'BAD' ? 'no such thing' : undefined));
  expect(admission.ok && admission.warnings.map(({ path }) => pathText(path))).toEqual([
    'spec.traffic.transformation.conditional[0].condition',
    'spec.traffic.transformation.conditional[0].policy.request.metadata.k',
    'spec.traffic.transformation.conditional[0].policy.request.set[0].value',
    'spec.traffic.authorization.policy.matchExpressions[1]',
  ]);
});

test('a value nested without end is refused, not followed', () => {
  const deep: unknown = JSON.parse(`${'{"a":'.repeat(20_000)}1${'}'.repeat(20_000)}`);
  expect(messages({ apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'n' }, spec: deep })).toEqual([
    expect.stringMatching(/nested deeper than 64 levels$/),
  ]);
});

const EXAMPLES = ['llm-gateway', 'mcp-gateway', 'mutual-tls', 'quick-start', 'rate-limits'];

const json = fc.jsonValue({ maxDepth: 6 });

test('property: no JSON value makes admission throw, and what it refuses has a reason', () => {
  const someKind = fc.constantFrom(...Object.entries(KINDS));
  const shaped = fc
    .tuple(someKind, json, fc.record({ name: fc.oneof(fc.constant('x'), json) }), json)
    .map(([[kind, { apiVersion }], spec, metadata, status]) => ({ apiVersion, kind, metadata, spec, status }));
  fc.assert(
    fc.property(fc.oneof(json, shaped), (value) => {
      const admission = admit(value);
      return admission.ok || admission.violations.length > 0;
    }),
  );
});

/** What a member of a document may be instead: nothing that becomes a text or a number by itself is safe to compare. */
const ODD: readonly unknown[] = [
  { toString: 0 },
  [{ toString: 0 }],
  { length: 3 },
  [null],
  null,
  -1,
  '',
  'constructor',
  true,
];

function* placesIn(value: unknown, above: readonly string[] = []): Generator<readonly string[]> {
  if (typeof value !== 'object' || value === null) return;
  for (const [name, inner] of Object.entries(value)) {
    yield [...above, name];
    yield* placesIn(inner, [...above, name]);
  }
}

function withOdd(value: unknown, [name, ...rest]: readonly string[], odd: unknown): unknown {
  if (name === undefined) return odd;
  if (Array.isArray(value))
    return value.map((item: unknown, at) => (String(at) === name ? withOdd(item, rest, odd) : item));
  if (!isFields(value)) return value;
  return { ...value, [name]: withOdd(value[name], rest, odd) };
}

test.each(EXAMPLES)(
  'whatever stands in the place of any member of examples/%s, admission says what is wrong with it',
  (name) => {
    const documents = parseAllDocuments(readFileSync(`examples/${name}/proxy.yaml`, 'utf8')).map(
      (one) => one.toJS() as unknown,
    );
    expect(documents.length).toBeGreaterThan(1);
    for (const document of documents) {
      expect(admit(document)).toMatchObject({ ok: true });
      for (const place of placesIn(document)) {
        for (const odd of ODD) {
          const admission = admit(withOdd(document, place, odd));
          expect(admission.ok || admission.violations.length > 0, `${place.join('.')} ${JSON.stringify(odd)}`).toBe(
            true,
          );
        }
      }
    }
  },
);

test('a filter of a route and a match of a model may be anything when they are looked at', () => {
  const filters = [{ type: { toString: 0 } }];
  const route = {
    apiVersion: 'gateway.networking.k8s.io/v1',
    kind: 'HTTPRoute',
    metadata: { name: 'r' },
    spec: { rules: [{ filters }] },
  };
  expect(messages(route)).toEqual([expect.stringMatching(/^spec\.rules\[0\]\.filters\[0\]\.type: must be one of /)]);
  const virtualModel = { weighted: { targets: [{ modelRef: { name: 'm' } }] } };
  const virtual = model({ match: { model: { toString: 0 } }, virtualModel });
  expect(messages(virtual)).toContainEqual(expect.stringMatching(/^spec\.match\.model: expected string/));
});

test('property: a valid policy stays valid when it is admitted again', () => {
  const fields = fc.record(
    {
      timeouts: fc.constantFrom({ request: '1s' }, {}),
      hostRewrite: fc.constantFrom({ mode: 'Auto' }, { mode: 'None' }),
      directResponse: fc.record({ status: fc.integer({ min: 200, max: 599 }) }),
      delay: fc.record({ duration: fc.string({ minLength: 1, maxLength: 50 }) }),
    },
    { requiredKeys: [] },
  );
  fc.assert(
    fc.property(fields, (field) => {
      const first = admit(traffic(field));
      expect(first.ok).toBe(true);
      if (first.ok) expect(admit(first.resource)).toEqual(first);
    }),
  );
});
