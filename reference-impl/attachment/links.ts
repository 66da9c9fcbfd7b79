import type { ProxyModel } from '../resources/proxy-model/model.ts';
import type { Snapshot } from '../store/snapshot.ts';
import type { BackendLinks } from './backends/backend-view.ts';
import { backendResolver } from './backends/resolve-backend.ts';
import { type GatewayListener, gatewayListeners } from './listeners.ts';
import { attachModels } from './models/model-attachment.ts';
import { namespaceLabels } from './namespaces.ts';
import { attachedPolicies } from './policies/targets.ts';
import { attachRoutes, type RouteAttachments } from './routes/route-attachment.ts';

/** How the resources of one snapshot hang together, before any of it is merged. */
export interface Links extends RouteAttachments, BackendLinks {
  readonly snapshot: Snapshot;
  readonly listeners: readonly GatewayListener[];
  readonly modelsOf: (listener: GatewayListener) => readonly ProxyModel[];
}

export function linkResources(snapshot: Snapshot): Links {
  const labels = namespaceLabels(snapshot);
  const listeners = gatewayListeners(snapshot, labels);
  const attachments = attachRoutes(snapshot, listeners, labels);
  return {
    snapshot,
    listeners,
    ...attachments,
    modelsOf: attachModels(snapshot, attachments),
    policiesAt: attachedPolicies(snapshot),
    resolve: backendResolver(snapshot),
  };
}
