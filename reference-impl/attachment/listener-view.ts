import { perLatestList } from '../base/per-list.ts';
import { perObject } from '../base/per-object.ts';
import { type Envelope, namespaceOf } from '../resources/envelope.ts';
import type { HTTPRoute } from '../resources/gateway-api/http-route.ts';
import type { Listener } from '../resources/gateway-api/listener.ts';
import type { ModelCatalog } from '../resources/model-catalog.ts';
import type { Links } from './links.ts';
import { type ListenerTls, listenerTls } from './listener-tls.ts';
import type { GatewayListener } from './listeners.ts';
import { modelCatalogs } from './models/model-catalogs.ts';
import { type ModelsView, modelsView } from './models/models-view.ts';
import {
  backendContributions,
  frontendContributions,
  policiesAlong,
  trafficContributions,
} from './policies/contributions.ts';
import type { EffectiveFrontend, EffectiveTraffic } from './policies/effective-policy.ts';
import { mergeFrontend, mergeTraffic } from './policies/merge.ts';
import { placesOfListener, placesOfPort } from './policies/places.ts';
import { indexRoutes } from './routes/route-index.ts';
import type { RouteRequest } from './routes/route-match.ts';
import { type ListenerContributions, type MergedRule, ruleViews, type RuleView } from './routes/rule-view.ts';

/** A served listener with its routes. */
export interface ListenerView {
  readonly gateway: { readonly namespace: string; readonly name: string };
  /** The ListenerSet the listener stands in, if it is not the Gateway's own. */
  readonly listenerSet: { readonly namespace: string; readonly name: string } | undefined;
  readonly name: string;
  readonly port: number;
  readonly hostname: string | undefined;
  readonly frontend: EffectiveFrontend;
  /** Undefined for a listener of plain HTTP. */
  readonly tls: ListenerTls | undefined;
  /** Merged PreRouting policy: trace phase `gateway`. */
  readonly preRouting: EffectiveTraffic;
  /** Routes attached to this listener whose hostname can match `host`: trace `evaluatedRoutes`, sorted. */
  readonly evaluatedRoutes: (host: string) => readonly string[];
  readonly selectRoute: (request: RouteRequest) => RuleView | undefined;
  /** What clients can ask for by name here; undefined when no model hangs on the listener. */
  readonly models: ModelsView | undefined;
  /** Every rule attached to this listener. For tools; requests use `selectRoute`. */
  readonly rules: readonly MergedRule[];
  /** What models cost, as the parameters of the Gateway say; of several the last counts. */
  readonly modelCatalogs: readonly ModelCatalog[];
}

/** Resolves one listener, with every rule that hangs on it. */
export function listenerView(listener: GatewayListener, links: Links): ListenerView {
  const { gateway, listenerSet, spec } = listener;
  const placed = policiesAlong(placesOfListener(listener), links.policiesAt);
  const ofPort = policiesAlong(placesOfPort(listener), links.policiesAt);
  const above: ListenerContributions = {
    traffic: trafficContributions(placed, 'PostRouting'),
    backend: backendContributions(placed),
  };
  const models = modelsView(listener, links.modelsOf(listener), above, links);
  const index = routeIndex(spec)(links.routesOf(listener));
  const { rules, views } = ruleViews(index.matches, above, links);
  return {
    gateway: nameOf(gateway),
    listenerSet: listenerSet && nameOf(listenerSet),
    name: spec.name,
    port: spec.port,
    hostname: spec.hostname,
    frontend: mergeFrontend(frontendContributions(ofPort)),
    tls: listenerTls(listener, links.snapshot),
    preRouting: mergeTraffic('PreRouting', trafficContributions(placed, 'PreRouting')),
    evaluatedRoutes: (host) =>
      models === undefined ? index.evaluated(host) : [...index.evaluated(host), models.rule.key].toSorted(),
    models,
    selectRoute: (request) => {
      const match = index.select(request);
      return match && views.get(match);
    },
    rules,
    modelCatalogs: modelCatalogs(gateway, links.snapshot),
  };
}

/** As long as a listener and its routes are the identical objects, they have one index. */
const routeIndex = perObject(({ hostname }: Listener) =>
  perLatestList((routes: readonly HTTPRoute[]) => indexRoutes(hostname, routes)),
);

function nameOf(resource: Envelope): { readonly namespace: string; readonly name: string } {
  return { namespace: namespaceOf(resource), name: resource.metadata.name };
}
