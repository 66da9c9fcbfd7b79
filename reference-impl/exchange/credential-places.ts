import { perObject } from '../base/per-object.ts';
import type { EffectiveBackend, EffectiveTraffic } from '../attachment/policies/effective-policy.ts';
import type { ListenerView } from '../attachment/view.ts';
import type { CredentialPlaces } from '../trace/credentials.ts';
import type { Listened, Received, Targeted } from './exchange.ts';
import type { AuthorizationLocation } from '../resources/proxy-policy/fields/location.ts';
import { hostWithoutPort } from './request-state.ts';

/**
 * Where the policies of the listener look for credentials of clients. All of its rules count, since a policy may send
 * the request to another one than its path says; a place that an expression computes is not known.
 */
export function credentialPlaces(exchange: Received | Listened | Targeted): CredentialPlaces {
  const listener = 'listener' in exchange ? exchange.listener : listenerToBe(exchange);
  const ofClients = listener === undefined ? NOWHERE : placesOf(listener);
  return 'backend' in exchange ? together(ofClients, ownPlaces(exchange.backend.policies)) : ofClients;
}

/** Who will handle a request that has just arrived. */
function listenerToBe({ view, port, request }: Received): ListenerView | undefined {
  return view.binds.get(port)?.selectListener(hostWithoutPort(request.authority).toLowerCase());
}

const NOWHERE: CredentialPlaces = { headers: new Set(), queryParameters: new Set() };

const placesOf = perObject(({ preRouting, rules }: ListenerView): CredentialPlaces =>
  placesAt([preRouting, ...rules.map(({ postRouting }) => postRouting)].flatMap(locationsOf)),
);

/** Where the proxy puts its own credentials for the backend. */
const ownPlaces = perObject(({ auth }: EffectiveBackend): CredentialPlaces => {
  const { location, credentials = [] } = auth ?? {};
  return placesAt([...(location === undefined ? [] : [location]), ...credentials.map((one) => one.location)]);
});

function placesAt(locations: readonly AuthorizationLocation[]): CredentialPlaces {
  return {
    headers: new Set(locations.flatMap(({ header }) => header?.name.toLowerCase() ?? [])),
    queryParameters: new Set(locations.flatMap(({ queryParameter }) => queryParameter?.name ?? [])),
  };
}

function together(one: CredentialPlaces, other: CredentialPlaces): CredentialPlaces {
  return {
    headers: new Set([...one.headers, ...other.headers]),
    queryParameters: new Set([...one.queryParameters, ...other.queryParameters]),
  };
}

const locationsOf = perObject(({ jwtAuthentication, basicAuthentication, apiKeyAuthentication }: EffectiveTraffic) =>
  [jwtAuthentication, basicAuthentication, apiKeyAuthentication].flatMap((policy) => policy?.location ?? []),
);
