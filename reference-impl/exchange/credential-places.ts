import { perObject } from '../base/per-object.ts';
import type { EffectiveTraffic } from '../attachment/effective-policy.ts';
import type { ListenerView } from '../attachment/view.ts';
import type { CredentialPlaces } from '../trace/credentials.ts';
import type { Listened, Received } from './exchange.ts';
import { hostWithoutPort } from './request-state.ts';

/**
 * Where the policies of the listener look for credentials of clients. All of its rules count, since a policy may send
 * the request to another one than its path says; a place that an expression computes is not known.
 */
export function credentialPlaces(exchange: Received | Listened): CredentialPlaces {
  const listener = 'listener' in exchange ? exchange.listener : listenerToBe(exchange);
  return listener === undefined ? NOWHERE : placesOf(listener);
}

/** Who will handle a request that has just arrived. */
function listenerToBe({ view, port, request }: Received): ListenerView | undefined {
  return view.binds.get(port)?.selectListener(hostWithoutPort(request.authority).toLowerCase());
}

const NOWHERE: CredentialPlaces = { headers: new Set(), queryParameters: new Set() };

const placesOf = perObject(({ preRouting, rules }: ListenerView): CredentialPlaces => {
  const locations = [preRouting, ...rules().map(({ postRouting }) => postRouting)].flatMap(locationsOf);
  return {
    headers: new Set(locations.flatMap(({ header }) => header?.name.toLowerCase() ?? [])),
    queryParameters: new Set(locations.flatMap(({ queryParameter }) => queryParameter?.name ?? [])),
  };
});

const locationsOf = perObject(({ jwtAuthentication, basicAuthentication, apiKeyAuthentication }: EffectiveTraffic) =>
  [jwtAuthentication, basicAuthentication, apiKeyAuthentication].flatMap((policy) => policy?.location ?? []),
);
