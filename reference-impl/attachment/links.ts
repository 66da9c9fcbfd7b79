import type { Snapshot } from '../store/snapshot.ts';
import { type GatewayListener, gatewayListeners } from './listeners.ts';
import { namespaceLabels } from './namespaces.ts';
import { backendResolver, type ResolveBackend } from './references.ts';
import { attachRoutes, type RouteAttachments } from './routes.ts';
import { type Attached, attachedPolicies } from './targets.ts';

/** How the resources of one snapshot hang together, before any of it is merged. */
export interface Links extends RouteAttachments {
  readonly snapshot: Snapshot;
  readonly listeners: readonly GatewayListener[];
  readonly attached: Attached;
  readonly resolve: ResolveBackend;
}

export function linkResources(snapshot: Snapshot): Links {
  const labels = namespaceLabels(snapshot);
  const listeners = gatewayListeners(snapshot, labels);
  return {
    snapshot,
    listeners,
    ...attachRoutes(snapshot, listeners, labels),
    attached: attachedPolicies(snapshot),
    resolve: backendResolver(snapshot),
  };
}
