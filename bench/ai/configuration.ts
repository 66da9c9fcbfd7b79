import { gatewayAt, proxyResource, routeTo, writeResources } from '../resources.ts';

/** Path by backend. */
const ROUTES = { plain: '/plain', guarded: '/guarded' } as const;

/** Writes the configuration of a reference with two routes to one provider: plain and guarded. */
export function writeAiConfiguration(folder: string, port: number, provider: number): void {
  const resources = Object.entries(ROUTES).flatMap(([name, path]) => [
    routeTo(name, path),
    proxyResource('ProxyBackend', name, { ai: { provider: { vendor1: {}, host: '127.0.0.1', port: provider } } }),
  ]);
  writeResources(folder, 'ai.yaml', [gatewayAt(port), ...resources, guard()]);
}

/** Every builtin pattern, and one of the operator's. Nothing in the load matches: what is measured is the search. */
function guard(): object {
  const builtins = ['Ssn', 'CreditCard', 'PhoneNumber', 'Email', 'CaSin'];
  return proxyResource('ProxyPolicy', 'guard', {
    targetRefs: [{ group: 'proxy.example', kind: 'ProxyBackend', name: 'guarded' }],
    backend: {
      ai: { promptGuard: { request: [{ regex: { builtins, matches: ['secret-[a-z]+'], action: 'Reject' } }] } },
    },
  });
}
