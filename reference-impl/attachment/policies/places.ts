import { namespaceOf } from '../../resources/envelope.ts';
import { GATEWAY_API_GROUP } from '../../resources/gateway-api/gateway-api.ts';
import type { GatewayListener } from '../listeners.ts';
import type { Level } from './precedence.ts';
import type { Target } from './targets.ts';

/** One place on the way of a request where policies can be attached. */
export interface Place {
  readonly level: Level;
  readonly target: Target;
}

/** The places above every route: Gateway, ListenerSet, listener. */
export function placesOfListener({ gateway, listenerSet, spec }: GatewayListener): readonly Place[] {
  const owner = objectTarget('Gateway', namespaceOf(gateway), gateway.metadata.name);
  const gatewayPlace: Place = { level: 'gateway', target: owner };
  if (listenerSet === undefined) {
    return [gatewayPlace, { level: 'listener', target: { ...owner, sectionName: spec.name } }];
  }
  const set = objectTarget('ListenerSet', namespaceOf(listenerSet), listenerSet.metadata.name);
  return [
    gatewayPlace,
    { level: 'listenerSet', target: set },
    { level: 'listener', target: { ...set, sectionName: spec.name } },
  ];
}

/** ATTACH-011, ATTACH-012: the whole Gateway, and one port of it. */
export function placesOfPort({ gateway, spec }: GatewayListener): readonly Place[] {
  const owner = objectTarget('Gateway', namespaceOf(gateway), gateway.metadata.name);
  return [
    { level: 'gateway', target: owner },
    { level: 'gatewayPort', target: { ...owner, port: spec.port } },
  ];
}

/** The route, and the rule when it has a name (ATTACH-008). */
export function placesOfRule(namespace: string, name: string, rule: string | undefined): readonly Place[] {
  const route = objectTarget('HTTPRoute', namespace, name);
  const whole: Place = { level: 'route', target: route };
  return rule === undefined ? [whole] : [whole, { level: 'routeRule', target: { ...route, sectionName: rule } }];
}

/** The destination itself, and the names its section goes by (ATTACH-013, ATTACH-014). */
export function placesOfBackend(destination: Target, sections: readonly string[]): readonly Place[] {
  return [
    { level: 'destination', target: destination },
    ...sections.map((sectionName): Place => ({ level: 'section', target: { ...destination, sectionName } })),
  ];
}

function objectTarget(kind: string, namespace: string, name: string): Target {
  return { group: GATEWAY_API_GROUP, kind, namespace, name };
}
