import type { KindName } from '../../resources/kinds.ts';

/** What each kind is for, in one sentence, for clients that explain it. */
export const DESCRIPTIONS: Partial<Readonly<Record<KindName, string>>> = {
  ProxyBackend: 'A destination of traffic: a static address, or a provider with a protocol of its own.',
  ProxyModel: 'A language model that clients can name, and what serves it.',
  ProxyParameters: 'How the proxies of a GatewayClass or a Gateway are deployed.',
  ProxyPolicy: 'Settings attached to gateways, listeners, routes, services or backends.',
  GatewayClass: 'A sort of gateway, and the controller that acts on it.',
  Gateway: 'Where traffic is accepted: listeners with port, protocol and host name.',
  ListenerSet: 'More listeners for a Gateway, owned by somebody else.',
  HTTPRoute: 'Which requests go to which backends.',
  ReferenceGrant: 'Which other namespaces may refer to objects of this one.',
  Service: 'A name for a set of endpoints.',
  EndpointSlice: 'Addresses of the endpoints of a Service.',
  Pod: 'A member of an InferencePool: labels, address, and whether it is ready.',
  InferencePool: 'Pods that serve models, under one name.',
  Secret: 'Values that are shown only to those who ask for the object by name.',
  ConfigMap: 'Plain values, by key.',
  Namespace: 'A scope for names.',
};
