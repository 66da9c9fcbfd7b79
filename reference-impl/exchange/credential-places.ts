import { perObject } from '../base/per-object.ts';
import type { EffectiveBackend, EffectiveTraffic } from '../attachment/policies/effective-policy.ts';
import type { BackendView, ListenerView, UnresolvedBackend } from '../attachment/view.ts';
import type { CredentialPlaces } from '../trace/credentials.ts';
import type { Listened, Received, Targeted } from './exchange.ts';
import type { AuthorizationExtractionLocation } from '../resources/proxy-policy/fields/location.ts';
import { hostWithoutPort } from './request-state.ts';

/**
 * Where the policies of the listener look for credentials of clients. All of its rules and models count, since a policy may send
 * the request to another one than its path says; a place that an expression computes is not known.
 */
export function credentialPlaces(exchange: Received | Listened | Targeted): CredentialPlaces {
  const listener = 'listener' in exchange ? exchange.listener : listenerToBe(exchange);
  const ofClients = listener === undefined ? NOWHERE : placesOf(listener);
  return 'backend' in exchange ? together(ofClients)(ownPlaces(exchange.backend.policies)) : ofClients;
}

/** Who will handle a request that has just arrived. */
function listenerToBe({ view, port, request }: Received): ListenerView | undefined {
  return view.binds.get(port)?.selectListener(hostWithoutPort(request.authority).toLowerCase());
}

const NOWHERE: CredentialPlaces = { headers: new Set(), queryParameters: new Set() };

const placesOf = perObject(({ preRouting, rules, models }: ListenerView): CredentialPlaces => {
  const ways = [...rules, ...(models === undefined ? [] : [models.rule])];
  const ofPolicies = [preRouting, ...ways.map(({ postRouting }) => postRouting)].flatMap(locationsOf);
  const destinations = [...rules.flatMap(({ backends }) => backends), ...(models?.concrete ?? [])];
  const ofBackends = destinations.flatMap(({ backend }) => policiesOf(backend));
  return placesAt([...ofPolicies, ...ofBackends.flatMap(exchangedAt)]);
});

/** The policies of a backend and of those it chooses among. */
function policiesOf(backend: BackendView | UnresolvedBackend): readonly EffectiveBackend[] {
  if ('unresolved' in backend) return [];
  const inner = [...(backend.groups?.flat() ?? []), ...(backend.mcp?.targets.map((target) => target.backend) ?? [])];
  return [backend.policies, ...inner.flatMap(policiesOf)];
}

/** Where clients show the tokens that are exchanged for others. */
function exchangedAt({ auth }: EffectiveBackend): readonly AuthorizationExtractionLocation[] {
  const { oauthTokenExchange, crossAppAccess } = auth ?? {};
  const sources = [oauthTokenExchange?.subjectToken, oauthTokenExchange?.actorToken, crossAppAccess?.subjectToken];
  return sources.flatMap((token) => token?.source ?? []);
}

/** Where the proxy puts its own credentials for the backend, and where those stood that it exchanged. */
const ownPlaces = perObject((policies: EffectiveBackend): CredentialPlaces => {
  const { location, credentials = [], oauthTokenExchange, jwtSign } = policies.auth ?? {};
  const alone = [location, oauthTokenExchange?.location, jwtSign?.location].flatMap((one) => one ?? []);
  return placesAt([...alone, ...credentials.map((one) => one.location), ...exchangedAt(policies)]);
});

function placesAt(locations: readonly AuthorizationExtractionLocation[]): CredentialPlaces {
  return {
    headers: new Set(locations.flatMap(({ header }) => header?.name.toLowerCase() ?? [])),
    queryParameters: new Set(locations.flatMap(({ queryParameter }) => queryParameter?.name ?? [])),
  };
}

const together = perObject((one: CredentialPlaces) =>
  perObject((other: CredentialPlaces): CredentialPlaces => ({
    headers: new Set([...one.headers, ...other.headers]),
    queryParameters: new Set([...one.queryParameters, ...other.queryParameters]),
  })),
);

const locationsOf = perObject(({ jwtAuthentication, basicAuthentication, apiKeyAuthentication }: EffectiveTraffic) =>
  [jwtAuthentication, basicAuthentication, apiKeyAuthentication].flatMap((policy) => policy?.location ?? []),
);
