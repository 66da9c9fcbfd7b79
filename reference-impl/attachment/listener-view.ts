import { type Envelope, namespaceOf } from '../resources/envelope.ts';
import type { HTTPRoute } from '../resources/gateway-api/http-route.ts';
import type { ModelCatalog } from '../resources/model-catalog.ts';
import { backendAt, frontendAt, placesOfListener, placesOfPort, trafficAt } from './policies/contributions.ts';
import type { Links } from './links.ts';
import type { GatewayListener } from './listeners.ts';
import { type EffectiveFrontend, type EffectiveTraffic, mergeFrontend, mergeTraffic } from './policies/merge.ts';
import { modelCatalogs } from './models/model-catalogs.ts';
import { type ModelsView, modelsView } from './models/models-view.ts';
import { indexRoutes, type RouteIndex } from './routes/route-index.ts';
import { type RouteMatch, type RouteRequest, ruleKey } from './routes/route-match.ts';
import { type Above, type RuleView, ruleView } from './routes/rule-view.ts';

/** A served listener with its routes. */
export interface ListenerView {
  readonly gateway: { readonly namespace: string; readonly name: string };
  /** The ListenerSet the listener stands in, if it is not the Gateway's own. */
  readonly listenerSet: { readonly namespace: string; readonly name: string } | undefined;
  readonly name: string;
  readonly port: number;
  readonly hostname: string | undefined;
  readonly frontend: EffectiveFrontend;
  /** Merged PreRouting policy: trace phase `gateway`. */
  readonly preRouting: EffectiveTraffic;
  /** Routes attached to this listener whose hostname can match `host`: trace `evaluatedRoutes`, sorted. */
  readonly evaluatedRoutes: (host: string) => readonly string[];
  readonly selectRoute: (request: RouteRequest) => RuleView | undefined;
  /** What clients can ask for by name here; undefined when no model hangs on the listener. */
  readonly models: ModelsView | undefined;
  /** Every rule attached to this listener, once, by key. For tools; requests use `selectRoute`. */
  readonly rules: () => readonly RuleView[];
  /** What models cost, as the parameters of the Gateway say; of several the last counts. */
  readonly modelCatalogs: () => readonly ModelCatalog[];
}

/** Resolves one listener; the views of its rules are made when a request first reaches them. */
export function listenerView(listener: GatewayListener, links: Links): ListenerView {
  const { gateway, listenerSet, spec } = listener;
  const places = placesOfListener(listener);
  const above: Above = {
    traffic: trafficAt(links.attached, places, 'PostRouting'),
    backend: backendAt(links.attached, places),
  };
  const models = modelsView(listener, above, links);
  const index = indexOf(listener, links.routesOf(listener));
  const views = new Map<RouteMatch, RuleView>();
  let catalogs: readonly ModelCatalog[] | undefined;
  const viewOf = (match: RouteMatch): RuleView => {
    const view = views.get(match) ?? ruleView(match, above, links);
    views.set(match, view);
    return view;
  };
  return {
    gateway: nameOf(gateway),
    listenerSet: listenerSet && nameOf(listenerSet),
    name: spec.name,
    port: spec.port,
    hostname: spec.hostname,
    frontend: mergeFrontend(frontendAt(links.attached, placesOfPort(listener))),
    preRouting: mergeTraffic('PreRouting', trafficAt(links.attached, places, 'PreRouting')),
    evaluatedRoutes: (host) =>
      models === undefined ? index.evaluated(host) : [...index.evaluated(host), models.rule.key].toSorted(),
    models,
    selectRoute: (request) => {
      const match = index.select(request);
      return match && viewOf(match);
    },
    rules: () => {
      const byKey = new Map(index.matches.map((match) => [ruleKey(match.route, match.ruleIndex), match]));
      return [...byKey.values()].map(viewOf);
    },
    modelCatalogs: () => (catalogs ??= modelCatalogs(gateway, links.snapshot)),
  };
}

const indexes = new WeakMap<object, { readonly routes: readonly HTTPRoute[]; readonly index: RouteIndex }>();

/** The index of the last generation, as long as the listener and its routes are the identical objects. */
function indexOf({ spec }: GatewayListener, routes: readonly HTTPRoute[]): RouteIndex {
  const last = indexes.get(spec);
  const same = last?.routes.length === routes.length && last.routes.every((route, at) => route === routes[at]);
  if (same) return last.index;
  const index = indexRoutes(spec.hostname, routes);
  indexes.set(spec, { routes, index });
  return index;
}

function nameOf(resource: Envelope): { readonly namespace: string; readonly name: string } {
  return { namespace: namespaceOf(resource), name: resource.metadata.name };
}
