import { describe, expect, it } from 'vitest';
import type { BackendView } from '../../../attachment/view.ts';
import { countUnhealthy } from '../../../upstream/health/endpoint-health.ts';
import { createHealthRegister } from '../../../upstream/health/register.ts';

function service(...ports: readonly number[]): BackendView {
  return {
    name: 'ns/web',
    key: 'Service/ns/web:80',
    type: 'service',
    protocol: 'http',
    endpoints: ports.map((port) => ({ kind: 'tcp', host: '127.0.0.1', port })),
    policies: { sources: {} },
    mirrors: [],
  };
}

describe('what is known of endpoints', () => {
  it('outlives a change of the configuration that keeps them, and no other', () => {
    const register = createHealthRegister();
    const [first, second] = register.candidates(service(1, 2))[0] ?? [];
    if (first === undefined || second === undefined) throw new Error('two candidates');
    countUnhealthy(first.health, undefined, 0);
    const kept = register.candidates(service(1, 3))[0];
    expect(kept?.[0]?.health).toBe(first.health);
    expect(kept?.[0]?.backend.endpoints).toEqual([{ kind: 'tcp', host: '127.0.0.1', port: 1 }]);
    expect(register.candidates(service(1, 2))[0]?.[1]?.health).not.toBe(second.health);
  });

  it('is made once per view of a backend', () => {
    const register = createHealthRegister();
    const view = service(1, 2);
    expect(register.candidates(view)).toBe(register.candidates(view));
  });

  it('is forgotten with the backend', () => {
    const register = createHealthRegister();
    const before = register.candidates(service(1))[0]?.[0]?.health;
    const asked: string[][] = [];
    register.retain((...name) => {
      asked.push(name);
      return true;
    });
    expect(asked).toEqual([['Service', 'ns', 'web']]);
    expect(register.candidates(service(1))[0]?.[0]?.health).toBe(before);
    register.retain(() => false);
    expect(register.candidates(service(1))[0]?.[0]?.health).not.toBe(before);
  });

  it('takes a provider that is no Service for one place, and a group for its members', () => {
    const register = createHealthRegister();
    const member = (name: string): BackendView => ({
      ...service(),
      key: `ProxyBackend/ns/llm/${name}`,
      type: 'ai',
      protocol: 'ai',
      provider: { vendor1: {} },
    });
    const groups = [[member('a'), member('b')], [member('c')]];
    const candidates = register.candidates({ ...service(), key: 'ProxyBackend/ns/llm', protocol: 'ai', groups });
    expect(candidates.map((group) => group.map(({ backend }) => backend))).toEqual(groups);
  });
});
