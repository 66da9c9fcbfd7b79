import { namespaceOf } from '../resources/envelope.ts';
import type { Gateway } from '../resources/gateway-api/gateway.ts';
import type { ListenerSet } from '../resources/gateway-api/listener-set.ts';
import type { Listener } from '../resources/gateway-api/listener.ts';
import type { Snapshot } from '../store/snapshot.ts';
import { ageOf, compareAge } from './age.ts';
import { admitsNamespace, type NamespaceLabels } from './namespaces.ts';

/** A listener, with the Gateway it serves and the ListenerSet it stands in, if it stands in one. */
export interface GatewayListener {
  readonly gateway: Gateway;
  readonly listenerSet: ListenerSet | undefined;
  readonly spec: Listener;
  /** Why it is not served. */
  readonly refused: 'UnsupportedProtocol' | 'ProtocolConflict' | 'HostnameConflict' | undefined;
}

/** Every listener of every Gateway, refused ones included; of two that collide the first in precedence is served. */
export function gatewayListeners(snapshot: Snapshot, labels: NamespaceLabels): readonly GatewayListener[] {
  const claimed: Claimed = { hosts: new Set(), speech: new Map() };
  return declaredListeners(snapshot, labels).map((declared) => {
    const { spec } = declared;
    const refused = refusal(spec, claimed);
    if (refused === undefined) {
      claimed.hosts.add(claimOf(spec));
      claimed.speech.set(spec.port, SPEECH[spec.protocol]);
    }
    return { ...declared, refused };
  });
}

/** Whether the Gateway lets the ListenerSet add listeners; a Gateway that does not say lets none. */
function acceptsListenerSet(gateway: Gateway, set: ListenerSet, labels: NamespaceLabels): boolean {
  const { from = 'None', selector } = gateway.spec.allowedListeners?.namespaces ?? {};
  return admitsNamespace({ from, selector, own: namespaceOf(gateway) }, namespaceOf(set), labels);
}

/** Whether the ListenerSet names the Gateway as its parent. */
export function belongsTo(set: ListenerSet, gateway: Gateway): boolean {
  const { kind = 'Gateway', name, namespace = namespaceOf(set) } = set.spec.parentRef;
  return kind === 'Gateway' && name === gateway.metadata.name && namespace === namespaceOf(gateway);
}

type Declared = Omit<GatewayListener, 'refused'>;

/** Older Gateways first; a Gateway's own listeners before those of its ListenerSets, and older sets first. */
function declaredListeners(snapshot: Snapshot, labels: NamespaceLabels): Declared[] {
  const setsByParent = Map.groupBy(byAge(snapshot.byKind('ListenerSet')), parentKey);
  return byAge(snapshot.byKind('Gateway')).flatMap((gateway) => {
    const sets = (setsByParent.get(`${namespaceOf(gateway)}/${gateway.metadata.name}`) ?? []).filter(
      (set) => belongsTo(set, gateway) && acceptsListenerSet(gateway, set, labels),
    );
    return [
      ...gateway.spec.listeners.map((spec) => ({ gateway, listenerSet: undefined, spec })),
      ...sets.flatMap((set) => set.spec.listeners.map((spec) => ({ gateway, listenerSet: set, spec }))),
    ];
  });
}

function parentKey(set: ListenerSet): string {
  return `${set.spec.parentRef.namespace ?? namespaceOf(set)}/${set.spec.parentRef.name}`;
}

function byAge<Resource extends Gateway | ListenerSet>(resources: readonly Resource[]): Resource[] {
  return resources.toSorted((one, other) => compareAge(ageOf(one), ageOf(other)));
}

/** What the listeners before have taken. */
interface Claimed {
  readonly hosts: Set<string>;
  /** By port. */
  readonly speech: Map<number, string | undefined>;
}

/** What is spoken on a port where a listener of the protocol is; two of different speech cannot share it. UDP has ports of its own. */
const SPEECH: Readonly<Record<string, string>> = { HTTP: 'HTTP', HTTPS: 'TLS', TLS: 'TLS', TCP: 'TCP' };
const SERVED_PROTOCOLS: ReadonlySet<string> = new Set(['HTTP', 'HTTPS']);

/** Whether listeners of its protocol are served here, whatever stands in their way. */
export function isServedProtocol({ protocol, tls }: Listener): boolean {
  return SERVED_PROTOCOLS.has(protocol) && tls?.mode !== 'Passthrough';
}

/** Gateways may share a port as long as their listeners speak the same protocol there and differ in host name. */
function refusal(listener: Listener, { hosts, speech }: Claimed): GatewayListener['refused'] {
  const own = SPEECH[listener.protocol];
  const taken = speech.get(listener.port);
  if (own !== undefined && taken !== undefined && own !== taken) return 'ProtocolConflict';
  if (!isServedProtocol(listener)) return 'UnsupportedProtocol';
  return hosts.has(claimOf(listener)) ? 'HostnameConflict' : undefined;
}

function claimOf({ port, hostname }: Listener): string {
  return `${port} ${hostname?.toLowerCase() ?? ''}`;
}
