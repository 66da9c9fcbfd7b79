import { describe, expect, test } from 'vitest';
import { fieldDefault, isFieldOfTheKind } from '../../ablate/spec-field.ts';
import { fieldsOf, valuesOf, withoutField, withValue } from '../../ablate/fields.ts';

const policy = {
  apiVersion: 'proxy.example/v1alpha1',
  kind: 'ProxyPolicy',
  metadata: { name: 'a', namespace: 'n', labels: { app: 'x' }, creationTimestamp: '2020-01-01T00:00:00Z' },
  spec: {
    targetRefs: [
      { kind: 'Gateway', name: 'gw' },
      { kind: 'HTTPRoute', name: 'r', sectionName: 's' },
    ],
    traffic: { timeouts: { request: '1s' } },
  },
};

describe('the fields of a resource', () => {
  test('are all it sets but its identity, lists without indices and maps as a whole', () => {
    expect(fieldsOf(policy).map(({ path }) => path)).toEqual([
      'metadata.labels',
      'metadata.creationTimestamp',
      'spec.targetRefs',
      'spec.targetRefs[].kind',
      'spec.targetRefs[].name',
      'spec.targetRefs[].sectionName',
      'spec.traffic',
      'spec.traffic.timeouts',
      'spec.traffic.timeouts.request',
    ]);
  });

  test('can each be taken away, and nothing else goes with it', () => {
    const all = fieldsOf(policy).map(({ path }) => path);
    for (const field of fieldsOf(policy)) {
      const left = fieldsOf(withoutField(policy, field)).map(({ path }) => path);
      const beneath = (path: string): boolean => path.startsWith(`${field.path}.`) || path.startsWith(`${field.path}[`);
      expect(left).toEqual(all.filter((path) => path !== field.path && !beneath(path)));
    }
  });

  test('of every item of a list go together', () => {
    const left = withoutField(policy, { kind: 'ProxyPolicy', path: 'spec.targetRefs[].name' });
    expect(left).toMatchObject({
      spec: { targetRefs: [{ kind: 'Gateway' }, { kind: 'HTTPRoute', sectionName: 's' }] },
    });
    expect(JSON.stringify(left)).not.toContain('"gw"');
  });

  test('of a kind that a case made up do not count', () => {
    expect(fieldsOf({ ...policy, kind: 'NotOneOfThem' })).toEqual([]);
  });

  test('of another kind stay', () => {
    expect(withoutField(policy, { kind: 'Gateway', path: 'spec.targetRefs' })).toBe(policy);
  });

  test('can be given another value wherever they are set, and nowhere else', () => {
    const field = { kind: 'ProxyPolicy', path: 'spec.targetRefs[].sectionName' };
    const reset = withValue(policy, field, 'other');
    expect(valuesOf(policy, field)).toEqual(['s']);
    expect(valuesOf(reset, field)).toEqual(['other']);
    expect(withValue(reset, field, 's')).toEqual(policy);
    expect(withValue(policy, { kind: 'Gateway', path: 'spec.targetRefs' }, [])).toBe(policy);
  });
});

describe('the default of a field', () => {
  test.each([
    ['ProxyModel', 'spec.visibility', 'Public'],
    ['ProxyPolicy', 'spec.traffic.jwtAuthentication.mode', 'Strict'],
    ['ProxyPolicy', 'spec.traffic.authorization.action', 'Allow'],
    ['ProxyPolicy', 'spec.backend.health.eviction.duration', '3s'],
    ['ProxyPolicy', 'spec.traffic.buffer.request.failureMode', 'FailClosed'],
    ['ProxyPolicy', 'spec.traffic.extAuth.conditional[].policy.failureMode', 'FailClosed'],
    ['ProxyPolicy', 'spec.traffic.extAuth.failureMode', 'FailClosed'],
    ['ProxyBackend', 'spec.ai.groups[].providers[].vendor2.apiVersion', 'v1'],
    ['ProxyBackend', 'spec.mcp.targets[].static.policies.tls.alpnProtocols', ['h2', 'http/1.1']],
  ])('of %s %s is found by the types above it', (kind, path, value) => {
    expect(fieldDefault({ kind, path })).toEqual({ value });
  });

  test.each([
    ['ProxyBackend', 'spec.static.host', 'has none'],
    ['Gateway', 'spec.gatewayClassName', 'is of a kind of others'],
    ['ProxyPolicy', 'spec.frontend.http.maxBufferSize', 'has a default that is no value of it'],
  ])('of %s %s is not known, because it %s', (kind, path) => {
    expect(fieldDefault({ kind, path })).toBeUndefined();
  });
});

describe('a field of the document', () => {
  test.each([
    ['ProxyModel', 'spec.policies.auth.key'],
    ['ProxyModel', 'metadata.labels'],
    ['ProxyPolicy', 'spec.traffic.timeouts.request'],
    ['ProxyPolicy', 'spec.traffic.retry.attempts'],
    ['ProxyPolicy', 'spec.traffic.extProc.backendRef.name'],
    ['ProxyPolicy', 'spec.traffic.oneOfTheFieldsNotShown'],
    ['ProxyPolicy', 'spec.traffic.transformation.request.set[].name'],
    ['ProxyPolicy', 'spec.traffic.directResponse.conditional[].policy.status'],
    ['ProxyPolicy', 'spec.traffic.directResponse.status'],
    ['ProxyPolicy', 'spec.targetRefs[].name'],
    ['ProxyBackend', 'spec.dynamicForwardProxy.anything'],
    ['HTTPRoute', 'spec.rules'],
  ])('is %s %s', (kind, path) => {
    expect(isFieldOfTheKind({ kind, path })).toBe(true);
  });

  test.each([
    ['ProxyModel', 'spec.policies.auth.jwtSign'],
    ['ProxyModel', 'spec.policies.auth.jwtSign.claims'],
    ['ProxyBackend', 'spec.mcp.targets[].static.policies.health.eviction'],
    ['ProxyBackend', 'spec.static.socket'],
  ])('is not %s %s', (kind, path) => {
    expect(isFieldOfTheKind({ kind, path })).toBe(false);
  });
});
