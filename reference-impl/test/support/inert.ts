import type { Origin } from '../../policies/policy.ts';
import { createHealthRegister } from '../../upstream/health/register.ts';
import type { Services } from '../../upstream/services.ts';

/** For policies that refer to nothing. */
export const ORIGIN: Origin = { kind: 'ProxyPolicy', namespace: 'default', name: 'policy' };

/** For policies that call nobody: a call fails the test. */
export const SERVICES: Services = {
  http: { send: () => Promise.reject(new Error('nobody is called')), close: () => Promise.resolve() },
  grpc: {
    clientFor: () => {
      throw new Error('nobody is called');
    },
    close: () => {},
  },
  health: createHealthRegister(),
  random: () => 0,
  log: { debug: () => {}, info: () => {}, warn: () => {}, error: () => {} },
};
