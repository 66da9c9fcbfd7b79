import type { Gateway } from '../../resources/gateway-api/gateway.ts';
import type { ListenerSet } from '../../resources/gateway-api/listener-set.ts';
import { type Condition, conditionOf, type ResourceStatus, statusEntry } from '../conditions.ts';
import type { Links } from '../links.ts';
import { listenerTls } from '../listener-tls.ts';
import type { GatewayListener } from '../listeners.ts';
import { catalogSources } from '../models/model-catalogs.ts';
import { kindsAt } from './supported-kinds.ts';

/** A Gateway is always accepted; each of its listeners has conditions of its own. */
export function gatewayStatus(gateway: Gateway, links: Links): ResourceStatus {
  const { holds } = conditionOf(gateway);
  return statusEntry(gateway, {
    conditions: [
      holds('Accepted', 'Accepted', 'Successfully accepted Gateway'),
      holds('Programmed', 'Programmed', 'Successfully programmed Gateway'),
      ...catalogConditions(gateway, links),
    ],
    listeners: links.listeners
      .filter((listener) => listener.gateway === gateway && listener.listenerSet === undefined)
      .map((listener) => listenerStatus(gateway, listener, links)),
  });
}

/** Of Gateways with a model catalog: whether all of its sources can be read. Those that cannot do not stop requests. */
function catalogConditions(gateway: Gateway, { snapshot }: Links): readonly Condition[] {
  const sources = catalogSources(gateway, snapshot);
  if (sources.length === 0) return [];
  const { holds, fails } = conditionOf(gateway);
  const problems = sources.flatMap(({ from, parsed }) => (parsed.ok ? [] : [`${from}: ${parsed.problem}`]));
  return [
    problems.length === 0
      ? holds('ModelCatalogResolved', 'Resolved', 'every source of the model catalog was read')
      : fails('ModelCatalogResolved', 'InvalidParameters', problems.join('; ')),
  ];
}

/** A ListenerSet is accepted when its Gateway exists and lets it add listeners. */
export function listenerSetStatus(set: ListenerSet, links: Links): ResourceStatus {
  const { holds, fails } = conditionOf(set);
  const listeners = links.listeners.filter(({ listenerSet }) => listenerSet === set);
  const accepted =
    listeners.length > 0
      ? holds('Accepted', 'Accepted', 'Successfully accepted ListenerSet')
      : fails('Accepted', 'NotAllowed', 'the parent Gateway does not exist or does not allow this ListenerSet');
  return statusEntry(set, {
    conditions: [accepted],
    listeners: listeners.map((listener) => listenerStatus(set, listener, links)),
  });
}

function listenerStatus(owner: Gateway | ListenerSet, listener: GatewayListener, links: Links): object {
  return {
    name: listener.spec.name,
    attachedRoutes: links.routesOf(listener).length,
    supportedKinds: kindsAt(listener).supported,
    conditions: listenerConditions(owner, listener, links),
  };
}

const REFUSALS: Readonly<Record<NonNullable<GatewayListener['refused']>, string>> = {
  UnsupportedProtocol: 'the protocol of the listener is not supported',
  ProtocolConflict: 'another listener of the port speaks another protocol',
  HostnameConflict: 'another listener of the port has the same hostname',
};

function listenerConditions(
  owner: Gateway | ListenerSet,
  listener: GatewayListener,
  { snapshot }: Links,
): readonly Condition[] {
  const { refused } = listener;
  const { holds, fails } = conditionOf(owner);
  const [problem] = [...(listenerTls(listener, snapshot)?.problems ?? []), ...unknownKinds(listener)];
  const resolved =
    problem === undefined
      ? holds('ResolvedRefs', 'ResolvedRefs', 'Successfully resolved all references')
      : fails('ResolvedRefs', problem.reason, problem.message);
  if (refused === undefined) {
    return [
      holds('Accepted', 'Accepted', 'Successfully accepted listener'),
      fails('Conflicted', 'NoConflicts', 'no listener of the port has the same hostname'),
      holds('Programmed', 'Programmed', 'Successfully programmed listener'),
      resolved,
    ];
  }
  const message = REFUSALS[refused];
  const conflicts = refused !== 'UnsupportedProtocol';
  return [
    fails('Accepted', refused, message),
    conflicts ? holds('Conflicted', refused, message) : fails('Conflicted', 'NoConflicts', 'no conflict'),
    fails('Programmed', 'Invalid', message),
    resolved,
  ];
}

function unknownKinds(listener: GatewayListener): readonly { readonly reason: string; readonly message: string }[] {
  return kindsAt(listener).unknown.map(({ kind }) => ({
    reason: 'InvalidRouteKinds',
    message: `no route of kind ${kind} can attach here`,
  }));
}
