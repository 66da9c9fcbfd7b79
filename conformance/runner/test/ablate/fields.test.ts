import { describe, expect, test } from 'vitest';
import { fieldsOf, withoutField } from '../../ablate/fields.ts';

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
});
