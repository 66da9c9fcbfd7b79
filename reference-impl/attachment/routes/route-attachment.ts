import { namespaceOf } from '../../resources/envelope.ts';
import { GATEWAY_API_GROUP } from '../../resources/gateway-api/gateway-api.ts';
import type { HTTPRoute } from '../../resources/gateway-api/http-route.ts';
import { groupOf } from '../../resources/kinds.ts';
import type { ParentReference } from '../../resources/metadata.ts';
import type { ProxyModel } from '../../resources/proxy-model/model.ts';
import type { Snapshot } from '../../store/snapshot.ts';
import { overlap } from '../hostnames.ts';
import type { GatewayListener } from '../listeners.ts';
import { admitsNamespace, type NamespaceLabels } from '../namespaces.ts';

/** What became of one parentRef of a route. */
export interface ParentAttachment {
  readonly parentRef: ParentReference;
  readonly listeners: readonly GatewayListener[];
  readonly reason: 'Accepted' | 'NoMatchingParent' | 'NotAllowedByListeners' | 'NoMatchingListenerHostname';
}

/** What hangs on listeners: a route, or a model. */
export type Attachable = HTTPRoute | ProxyModel;

export interface RouteAttachments {
  readonly routesOf: (listener: GatewayListener) => readonly HTTPRoute[];
  readonly parentsOf: (route: HTTPRoute) => readonly ParentAttachment[];
  /** What becomes of a parentRef of something that is for every host. */
  readonly attachmentOf: (ref: ParentReference, attaching: Attachable) => ParentAttachment;
}

/** Which routes hang on which listeners. */
export function attachRoutes(
  snapshot: Snapshot,
  listeners: readonly GatewayListener[],
  labels: NamespaceLabels,
): RouteAttachments {
  const served = listeners.filter(({ refused }) => refused === undefined);
  const parents: Parents = { served: Map.groupBy(served, parentKeyOf), labels };
  const attachmentsOf = new Map<HTTPRoute, readonly ParentAttachment[]>();
  const routes = new Map<GatewayListener, Set<HTTPRoute>>();
  for (const route of snapshot.byKind('HTTPRoute')) {
    const { hostnames = [] } = route.spec;
    const attachments = parentRefsOf(route).map((ref) => attachmentTo(ref, route, hostnames, parents));
    attachmentsOf.set(route, attachments);
    for (const listener of attachments.flatMap((attachment) => attachment.listeners)) {
      routes.set(listener, (routes.get(listener) ?? new Set()).add(route));
    }
  }
  return {
    routesOf: (listener) => [...(routes.get(listener) ?? [])],
    parentsOf: (route) => attachmentsOf.get(route) ?? [],
    attachmentOf: (ref, attaching) => attachmentTo(ref, attaching, [], parents),
  };
}

function parentRefsOf({ spec: { parentRefs = [] } }: HTTPRoute): readonly ParentReference[] {
  return parentRefs;
}

/** The object a listener stands in, as a parentRef names it. */
function parentKeyOf({ gateway, listenerSet }: GatewayListener): string {
  const owner = listenerSet ?? gateway;
  return `${owner.kind}/${namespaceOf(owner)}/${owner.metadata.name}`;
}

/** What one can attach to, and what decides whether one may. */
interface Parents {
  /** Listeners by the object they stand in. */
  readonly served: ReadonlyMap<string, readonly GatewayListener[]>;
  readonly labels: NamespaceLabels;
}

function attachmentTo(
  parentRef: ParentReference,
  attaching: Attachable,
  hostnames: readonly string[],
  { served, labels }: Parents,
): ParentAttachment {
  const { group = GATEWAY_API_GROUP, kind = 'Gateway', namespace = namespaceOf(attaching), name } = parentRef;
  const { sectionName, port } = parentRef;
  const ofParent = group === GATEWAY_API_GROUP ? (served.get(`${kind}/${namespace}/${name}`) ?? []) : [];
  const named = ofParent.filter(
    ({ spec }) => (sectionName ?? spec.name) === spec.name && (port ?? spec.port) === spec.port,
  );
  const allowed = named.filter((listener) => allows(listener, attaching, labels));
  const listeners = allowed.filter(({ spec }) => servesHostOf(spec.hostname, hostnames));
  const reason =
    (named.length === 0 && 'NoMatchingParent') ||
    (allowed.length === 0 && 'NotAllowedByListeners') ||
    (listeners.length === 0 && 'NoMatchingListenerHostname') ||
    'Accepted';
  return { parentRef, listeners, reason };
}

/** A listener admits what is in its own namespace unless it says otherwise. */
function allows(
  { gateway, listenerSet, spec }: GatewayListener,
  attaching: Attachable,
  labels: NamespaceLabels,
): boolean {
  const { namespaces, kinds } = spec.allowedRoutes ?? {};
  const own = namespaceOf(listenerSet ?? gateway);
  const { from = 'Same', selector } = namespaces ?? {};
  const kindAllowed =
    kinds === undefined ||
    kinds.length === 0 ||
    kinds.some(
      ({ group = GATEWAY_API_GROUP, kind }) => kind === attaching.kind && group === groupOf(attaching.apiVersion),
    );
  return kindAllowed && admitsNamespace({ from, selector, own }, namespaceOf(attaching), labels);
}

function servesHostOf(listenerHostname: string | undefined, hostnames: readonly string[]): boolean {
  return hostnames.length === 0 || hostnames.some((hostname) => overlap(hostname, listenerHostname));
}
