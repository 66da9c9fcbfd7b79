import type { BackendView, WeightedBackend } from '../attachment/view.ts';
import { ProxyError, type ProxyErrorCode } from '../base/proxy-error.ts';
import type { Routed, Targeted } from '../exchange/exchange.ts';

/** One of the rule's backends, as often as its weight says. Throws when there is none or the chosen one is unusable. */
export function selectBackend(exchange: Routed, random: () => number): Targeted {
  const chosen = byWeight(exchange.rule.backends, random);
  if (chosen === undefined) throw new ProxyError('noValidBackends');
  return { ...exchange, backend: usable(chosen) };
}

function byWeight(backends: readonly WeightedBackend[], random: () => number): WeightedBackend | undefined {
  const total = backends.reduce((sum, { weight }) => sum + weight, 0);
  let rest = random() * total;
  return backends.find(({ weight }) => {
    rest -= weight;
    return weight > 0 && rest < 0;
  });
}

function usable({ backend }: WeightedBackend): BackendView {
  if ('unresolved' in backend) throw new ProxyError(UNUSABLE[backend.unresolved]);
  return backend;
}

const UNUSABLE = {
  backendNotFound: 'backendNotFound',
  serviceNotFound: 'serviceNotFound',
  backendInvalid: 'backendNotFound',
} as const satisfies Record<string, ProxyErrorCode>;
