import { perObject } from '../../base/per-object.ts';
import { backendStatus } from './backend-status.ts';
import type { ResourceStatus } from '../conditions.ts';
import { gatewayClassStatus } from './gateway-class-status.ts';
import { gatewayStatus, listenerSetStatus } from './gateway-status.ts';
import type { Links } from '../links.ts';
import { modelStatus } from './model-status.ts';
import { policyStatuses } from './policy-status.ts';
import { routeStatus } from './route-status.ts';

/** The status of every resource the proxy acts on. No request needs it, so nothing is computed until somebody asks. */
export const statusOf = perObject((links: Links): readonly ResourceStatus[] => {
  const { snapshot } = links;
  return [
    ...snapshot.byKind('GatewayClass').flatMap((each) => gatewayClassStatus(each, snapshot)),
    ...snapshot.byKind('Gateway').map((gateway) => gatewayStatus(gateway, links)),
    ...snapshot.byKind('ListenerSet').map((set) => listenerSetStatus(set, links)),
    ...snapshot.byKind('HTTPRoute').map((route) => routeStatus(route, links)),
    ...snapshot.byKind('ProxyModel').map((model) => modelStatus(model, links)),
    ...snapshot.byKind('ProxyBackend').map(backendStatus),
    ...policyStatuses(links),
  ];
});
