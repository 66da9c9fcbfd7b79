import type { Origin } from '../../attachment/policies/effective-policy.ts';
import type { BackendView } from '../../attachment/view.ts';
import { createHealthRegister } from '../../upstream/health/register.ts';
import { createPasswordQueue } from '../../credentials/passwords/password-queue.ts';
import type { Services } from '../../credentials/services.ts';

/** For policies that refer to nothing. */
export const ORIGIN: Origin = { kind: 'ProxyPolicy', namespace: 'default', name: 'policy' };

/** For policies to which it does not matter where a request goes. */
export const BACKEND: BackendView = {
  name: 'default/b',
  key: 'ProxyBackend/default/b',
  type: 'static',
  protocol: 'http',
  endpoints: [{ kind: 'tcp', host: 'backend.test', port: 443 }],
  policies: { sources: {} },
  mirrors: [],
};

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
  tokens: { token: () => Promise.reject(new Error('nobody asks for a token')), retain: () => {} },
  random: () => 0,
  passwords: createPasswordQueue(),
  log: { debug: () => {}, info: () => {}, warn: () => {}, error: () => {} },
};
