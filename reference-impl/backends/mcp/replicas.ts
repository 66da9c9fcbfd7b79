import type { BackendView, Endpoint } from '../../attachment/view.ts';
import { endpointText, pickEndpoint } from '../../upstream/endpoints.ts';
import { choose } from '../../upstream/health/choose.ts';
import type { Candidate } from '../../upstream/health/register.ts';
import type { Asked } from './asked.ts';

/** A replica of a target for what begins now: with a policy of health the better one, as for every backend. Throws noHealthyBackends when there is none. */
export function pickReplica(
  backend: BackendView,
  { exchange, services }: Pick<Asked, 'exchange' | 'services'>,
): Endpoint {
  const candidates = replicasOf(backend, services);
  const chosen = candidates && choose([candidates], new Set(), exchange.clock.monotonic(), services.random);
  return chosen?.backend.endpoints[0] ?? pickEndpoint(backend.endpoints, services.random);
}

/** What is known of a replica; undefined where nothing follows from it. */
export function knownReplica(backend: BackendView, endpoint: Endpoint, { services }: Asked): Candidate | undefined {
  const text = endpointText(endpoint);
  return replicasOf(backend, services)?.find(({ backend: { endpoints } }) =>
    endpoints.every((one) => endpointText(one) === text),
  );
}

function replicasOf(backend: BackendView, { health }: Asked['services']): readonly Candidate[] | undefined {
  if (backend.policies.health === undefined || backend.endpoints.length < 2) return undefined;
  return health.candidates(backend).flat();
}
