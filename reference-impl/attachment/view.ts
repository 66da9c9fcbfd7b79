import type { Snapshot } from '../store/snapshot.ts';
import { type PolicyReferences, policyReferences } from './backends/policy-references.ts';
import type { ResourceStatus } from './conditions.ts';
import { hostTable } from './hostnames.ts';
import { type Links, linkResources } from './links.ts';
import { type ListenerView, listenerView } from './listener-view.ts';
import type { GatewayListener } from './listeners.ts';
import { type PortFrontend, portFrontend } from './port-frontend.ts';
import { statusOf } from './status/status.ts';

export type {
  BackendView,
  McpTargetView,
  McpView,
  MirrorView,
  UnresolvedBackend,
  WeightedBackend,
} from './backends/backend-view.ts';
export type { ResourceStatus } from './conditions.ts';
export type { ClientValidation, Identity, ListenerTls } from './listener-tls.ts';
export type { ListenerView } from './listener-view.ts';
export type { ConcreteModel, ModelsView, ModelTarget, VirtualModel } from './models/models-view.ts';
export type { PortFrontend } from './port-frontend.ts';
export type { PolicyReferences } from './backends/policy-references.ts';
export type { Endpoint } from './backends/resolved-backend.ts';
export type { RouteRequest } from './routes/route-match.ts';
export type { MergedRule, RuleView } from './routes/rule-view.ts';

/** Everything a request needs, resolved once per generation of the configuration. Immutable. */
export interface View {
  readonly generation: number;
  /** Data listeners by port. */
  readonly binds: ReadonlyMap<number, BindView>;
  /** What policies refer to: servers, Secrets, ConfigMaps. */
  readonly references: PolicyReferences;
  /** The status of every GatewayClass, Gateway, ListenerSet, HTTPRoute, ProxyModel, ProxyBackend and ProxyPolicy; computed when first asked for. */
  readonly status: () => readonly ResourceStatus[];
}

export interface BindView {
  readonly port: number;
  readonly listeners: readonly ListenerView[];
  readonly frontend: PortFrontend;
  /** The listener whose hostname claims `host` (without port): exact, then longest wildcard, then catch-all. */
  readonly selectListener: (host: string) => ListenerView | undefined;
}

/** Resolves one snapshot. What did not change since the last one keeps its identity, merged policies above all. */
export function buildView(snapshot: Snapshot): View {
  const links = linkResources(snapshot);
  const served = links.listeners.filter(({ refused }) => refused === undefined);
  const byPort = Map.groupBy(served, ({ spec }) => spec.port);
  const binds = [...byPort].map(([port, listeners]) => [port, bindView(port, listeners, links)] as const);
  return {
    generation: snapshot.generation,
    binds: new Map(binds),
    references: policyReferences(snapshot, links),
    status: () => statusOf(links),
  };
}

function bindView(port: number, served: readonly GatewayListener[], links: Links): BindView {
  const listeners = served.map((listener) => listenerView(listener, links));
  const table = hostTable(listeners.map((listener) => [listener.hostname, listener] as const));
  const frontend = portFrontend(listeners.map((listener) => listener.frontend));
  return { port, listeners, frontend, selectListener: (host) => table.lookup(host)[0] };
}
