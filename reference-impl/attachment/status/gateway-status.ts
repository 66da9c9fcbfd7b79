import { namespaceOf } from '../../resources/envelope.ts';
import type { Gateway } from '../../resources/gateway-api/gateway.ts';
import type { ListenerSet } from '../../resources/gateway-api/listener-set.ts';
import type { Snapshot } from '../../store/snapshot.ts';
import { type Condition, conditionOf, type ResourceStatus, statusEntry } from '../conditions.ts';
import type { Links } from '../links.ts';
import { listenerTls } from '../listener-tls.ts';
import { belongsTo, type GatewayListener } from '../listeners.ts';
import { catalogSources } from '../models/model-catalogs.ts';
import { parametersProblem } from './parameters-problem.ts';
import { kindsAt } from './supported-kinds.ts';

/** Whether it can be provisioned, whether it has listeners that are served, and the conditions of each of them. */
export function gatewayStatus(gateway: Gateway, links: Links): ResourceStatus {
  const own = links.listeners.filter((listener) => listener.gateway === gateway && listener.listenerSet === undefined);
  const sets = links.snapshot.byKind('ListenerSet').filter((set) => belongsTo(set, gateway));
  return statusEntry(gateway, {
    conditions: [...summary(gateway, own, links), ...fallbackConditions(gateway), ...catalogConditions(gateway, links)],
    listeners: own.map((listener) => listenerStatus(gateway, listener, links)),
    attachedListenerSets: sets.filter((set) => isAccepted(listenersOfSet(set, links), links)).length,
  });
}

/** Accepted and Programmed. One listener that can be served is enough, and the reason tells of the others. */
function summary(gateway: Gateway, own: readonly GatewayListener[], { snapshot }: Links): readonly Condition[] {
  const { holds, fails } = conditionOf(gateway);
  const reference = gateway.spec.infrastructure?.parametersRef;
  const parameters = parametersProblem(reference, namespaceOf(gateway), snapshot);
  if (parameters !== undefined)
    return [fails('Accepted', 'InvalidParameters', parameters), fails('Programmed', 'Invalid', parameters)];
  const invalid = own.filter((listener) => notAccepted(listener, snapshot) !== undefined);
  const names = `listeners that are not accepted: ${invalid.map(({ spec }) => spec.name).join(', ')}`;
  if (invalid.length > 0 && invalid.length === own.length)
    return [fails('Accepted', 'ListenersNotValid', names), fails('Programmed', 'Invalid', names)];
  return [
    invalid.length > 0
      ? holds('Accepted', 'ListenersNotValid', names)
      : holds('Accepted', 'Accepted', 'Successfully accepted Gateway'),
    holds('Programmed', 'Programmed', 'Successfully programmed Gateway'),
  ];
}

/** Where clients without a valid certificate are served, the Gateway says so. */
function fallbackConditions(gateway: Gateway): readonly Condition[] {
  const { default: usual, perPort = [] } = gateway.spec.tls?.frontend ?? {};
  const modes = [usual, ...perPort.map(({ tls }) => tls)].map((tls) => tls?.validation?.mode);
  if (!modes.includes('AllowInsecureFallback')) return [];
  const { holds } = conditionOf(gateway);
  const message = 'clients without a valid certificate are served';
  return [holds('InsecureFrontendValidationMode', 'ConfigurationChanged', message)];
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

/** A ListenerSet is accepted when its Gateway exists and lets it add listeners, and one of them can be served. */
export function listenerSetStatus(set: ListenerSet, links: Links): ResourceStatus {
  const listeners = listenersOfSet(set, links);
  return statusEntry(set, {
    conditions: summaryOfSet(set, listeners, links),
    listeners: listeners.map((listener) => listenerStatus(set, listener, links)),
  });
}

function summaryOfSet(set: ListenerSet, listeners: readonly GatewayListener[], links: Links): readonly Condition[] {
  const { holds, fails } = conditionOf(set);
  const both = (reason: string, message: string): readonly Condition[] => [
    fails('Accepted', reason, message),
    fails('Programmed', reason, message),
  ];
  if (listeners.length === 0)
    return both('NotAllowed', 'the parent Gateway does not exist or does not allow this ListenerSet');
  const invalid = listeners.filter((listener) => !isServed(listener, links.snapshot));
  const names = `listeners that cannot be served: ${invalid.map(({ spec }) => spec.name).join(', ')}`;
  if (!isAccepted(listeners, links)) return both('ListenersNotValid', names);
  return [
    invalid.length > 0
      ? holds('Accepted', 'ListenersNotValid', names)
      : holds('Accepted', 'Accepted', 'Successfully accepted ListenerSet'),
    holds('Programmed', 'Programmed', 'Successfully programmed ListenerSet'),
  ];
}

/** Those of a set that its Gateway does not let add any are none. */
function listenersOfSet(set: ListenerSet, links: Links): readonly GatewayListener[] {
  return links.listeners.filter(({ listenerSet }) => listenerSet === set);
}

function isAccepted(ofSet: readonly GatewayListener[], { snapshot }: Links): boolean {
  return ofSet.some((listener) => isServed(listener, snapshot));
}

function listenerStatus(owner: Gateway | ListenerSet, listener: GatewayListener, links: Links): object {
  return {
    name: listener.spec.name,
    attachedRoutes: links.routesOf(listener).length,
    supportedKinds: kindsAt(listener).supported,
    conditions: listenerConditions(owner, listener, links),
  };
}

const REFUSALS: Readonly<Record<Refusal, string>> = {
  UnsupportedProtocol: 'the protocol of the listener is not supported',
  ProtocolConflict: 'another listener of the port speaks another protocol',
  HostnameConflict: 'another listener of the port has the same hostname',
  NoValidCACertificate: 'no reference to an authority of client certificates leads to one',
};

function listenerConditions(
  owner: Gateway | ListenerSet,
  listener: GatewayListener,
  { snapshot }: Links,
): readonly Condition[] {
  const { holds, fails } = conditionOf(owner);
  const [problem] = [...(listenerTls(listener, snapshot)?.problems ?? []), ...unknownKinds(listener)];
  const refused = notAccepted(listener, snapshot);
  const message = refused && REFUSALS[refused];
  const conflicts = refused === 'ProtocolConflict' || refused === 'HostnameConflict';
  return [
    refused === undefined
      ? holds('Accepted', 'Accepted', 'Successfully accepted listener')
      : fails('Accepted', refused, REFUSALS[refused]),
    conflicts
      ? holds('Conflicted', refused, REFUSALS[refused])
      : fails('Conflicted', 'NoConflicts', 'no listener of the port has the same hostname'),
    isServed(listener, snapshot)
      ? holds('Programmed', 'Programmed', 'Successfully programmed listener')
      : fails('Programmed', conflicts ? refused : 'Invalid', message ?? problem?.message ?? 'it cannot be served'),
    problem === undefined
      ? holds('ResolvedRefs', 'ResolvedRefs', 'Successfully resolved all references')
      : fails('ResolvedRefs', problem.reason, problem.message),
  ];
}

type Refusal = NonNullable<GatewayListener['refused']> | 'NoValidCACertificate';

/** Why the listener is none that can be served as it is written, whatever its certificates are. */
function notAccepted(listener: GatewayListener, snapshot: Snapshot): Refusal | undefined {
  if (listener.refused !== undefined) return listener.refused;
  return listenerTls(listener, snapshot)?.clients?.authorities === '' ? 'NoValidCACertificate' : undefined;
}

/** A listener for TLS needs a certificate that it can show. */
function isServed(listener: GatewayListener, snapshot: Snapshot): boolean {
  const tls = listenerTls(listener, snapshot);
  return notAccepted(listener, snapshot) === undefined && (tls === undefined || tls.identities.length > 0);
}

function unknownKinds(listener: GatewayListener): readonly { readonly reason: string; readonly message: string }[] {
  return kindsAt(listener).unknown.map(({ kind }) => ({
    reason: 'InvalidRouteKinds',
    message: `no route of kind ${kind} can attach here`,
  }));
}
