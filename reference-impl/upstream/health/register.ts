import type { BackendView } from '../../attachment/view.ts';
import { perObject } from '../../base/per-object.ts';
import { endpointText } from '../endpoints.ts';
import { type EndpointHealth, unknownHealth } from './endpoint-health.ts';

/** One place a request can be sent to. */
export interface Candidate {
  /** The backend, or the provider of its groups, with no endpoint but this one. */
  readonly backend: BackendView;
  readonly health: EndpointHealth;
}

/** What is known of the endpoints, for as long as the configuration has them. */
export interface HealthRegister {
  /** The candidates of a backend by priority; a backend without groups has one. */
  readonly candidates: (backend: BackendView) => readonly (readonly Candidate[])[];
  /** Forgets the backends that are gone. */
  readonly retain: (exists: (kind: string, namespace: string, name: string) => boolean) => void;
}

export function createHealthRegister(): HealthRegister {
  /** By key of the backend, then by endpoint. */
  const known = new Map<string, ReadonlyMap<string, EndpointHealth>>();

  /** Endpoints the backend has no more are forgotten here; those it kept stay what they were. */
  const candidatesOf = (backend: BackendView): readonly Candidate[] => {
    const before = known.get(backend.key);
    const now = new Map<string, EndpointHealth>();
    const candidates = placesOf(backend).map(([place, narrowed]) => {
      const health = now.get(place) ?? before?.get(place) ?? unknownHealth();
      now.set(place, health);
      return { backend: narrowed, health };
    });
    known.set(backend.key, now);
    return candidates;
  };

  return {
    // A view of a backend stays the same object while the configuration does, so requests find this done.
    candidates: perObject((backend: BackendView) =>
      (backend.groups ?? [[backend]]).map((group) => group.flatMap(candidatesOf)),
    ),
    retain: (exists) => {
      for (const key of known.keys()) {
        const [kind = '', namespace = '', name = ''] = key.split('/');
        if (!exists(kind, namespace, name.replace(/:.*$/, ''))) known.delete(key);
      }
    },
  };
}

type Place = readonly [place: string, narrowed: BackendView];

function placesOf(backend: BackendView): readonly Place[] {
  const { endpoints, provider } = backend;
  // A provider that is no Service knows its host itself, and is one place.
  if (provider !== undefined && provider.custom?.backendRef === undefined) return [['', backend]];
  return endpoints.map((endpoint): Place => [endpointText(endpoint), { ...backend, endpoints: [endpoint] }]);
}
