import { gatewayListeners } from '../attachment/listeners.ts';
import { namespaceLabels } from '../attachment/namespaces.ts';
import type { Envelope } from '../resources/envelope.ts';
import { namespaceOf, PROXY_API_GROUP } from '../resources/envelope.ts';
import type { Gateway } from '../resources/gateway-api/gateway.ts';
import type { Listener } from '../resources/gateway-api/listener.ts';
import { isOfKind, keyOf, type KindName, type Resource, type ResourceOf } from '../resources/kinds.ts';
import type { ProxyParameters } from '../resources/proxy-parameters.ts';
import { snapshotOf } from '../store/snapshot.ts';
import { sessionKeyName } from './manifests/session-key-secret.ts';
import type { RenderInput } from './render.ts';

/** What comes from the resources; how they were submitted and where randomness comes from is the caller's to know. */
export type Provisioning = Omit<RenderInput, 'nulls' | 'randomBytes' | 'version'>;

export type FoundProvisioning =
  | { readonly ok: true; readonly found: Provisioning }
  | { readonly ok: false; readonly problems: readonly string[] };

/**
 * Follows the references of one Gateway: to its class, to the parameters of both, and to what those need. `gateway` is
 * `name` or `namespace/name`, and may be left out when there is one.
 */
export function provisioningOf(resources: readonly Resource[], gateway?: string): FoundProvisioning {
  const gateways = all(resources, 'Gateway').filter((each) => gateway === undefined || isNamed(each, gateway));
  const [only] = gateways;
  if (only === undefined || gateways.length > 1) return { ok: false, problems: [whichGateway(resources, gateway)] };
  const ofClass = classParameters(resources, only);
  const ofGateway = gatewayParameters(resources, only);
  const problems = [ofClass, ofGateway].flatMap((each) => (each.ok ? [] : [each.problem]));
  if (!ofClass.ok || !ofGateway.ok) return { ok: false, problems };
  const namespace = namespaceOf(only);
  const secret = all(resources, 'Secret').find(
    (each) => namespaceOf(each) === namespace && each.metadata.name === sessionKeyName(only),
  );
  return {
    ok: true,
    found: {
      gateway: only,
      listeners: listenersOf(only, resources),
      ...(ofClass.parameters !== undefined && { classParameters: ofClass.parameters }),
      ...(ofGateway.parameters !== undefined && { gatewayParameters: ofGateway.parameters }),
      configMaps: all(resources, 'ConfigMap').filter((each) => namespaceOf(each) === namespace),
      ...(secret !== undefined && { sessionKeySecret: secret }),
    },
  };
}

/** A port that only a ListenerSet has is reached through the Service of the Gateway as well: there is no other. */
function listenersOf(gateway: Gateway, resources: readonly Resource[]): readonly Listener[] {
  const snapshot = snapshotOf(0, new Map(resources.map((each) => [keyOf(each), each])));
  return gatewayListeners(snapshot, namespaceLabels(snapshot)).flatMap((each) =>
    each.gateway === gateway ? [each.spec] : [],
  );
}

type FoundParameters =
  | { readonly ok: true; readonly parameters?: ProxyParameters }
  | { readonly ok: false; readonly problem: string };

interface Reference {
  readonly group: string;
  readonly kind: string;
  readonly name: string;
  readonly namespace?: string;
}

function classParameters(resources: readonly Resource[], { spec }: Gateway): FoundParameters {
  const ofGateway = all(resources, 'GatewayClass').find(({ metadata }) => metadata.name === spec.gatewayClassName);
  const reference = ofGateway?.spec.parametersRef;
  return parametersAt(resources, reference, reference?.namespace ?? '', `GatewayClass ${spec.gatewayClassName}`);
}

function gatewayParameters(resources: readonly Resource[], gateway: Gateway): FoundParameters {
  const reference = gateway.spec.infrastructure?.parametersRef;
  const namespace = namespaceOf(gateway);
  return parametersAt(resources, reference, namespace, `Gateway ${namespace}/${gateway.metadata.name}`);
}

function parametersAt(
  resources: readonly Resource[],
  reference: Reference | undefined,
  namespace: string,
  referrer: string,
): FoundParameters {
  if (reference === undefined) return { ok: true };
  const { group, kind, name } = reference;
  if (group !== PROXY_API_GROUP || kind !== 'ProxyParameters') {
    return {
      ok: false,
      problem: `${referrer}: parametersRef is to a ProxyParameters of ${PROXY_API_GROUP}, not ${kind}`,
    };
  }
  const parameters = all(resources, 'ProxyParameters').find(
    (each) => namespaceOf(each) === namespace && each.metadata.name === name,
  );
  return parameters === undefined
    ? { ok: false, problem: `${referrer}: there is no ProxyParameters ${namespace}/${name}` }
    : { ok: true, parameters };
}

function all<Name extends KindName>(resources: readonly Resource[], kind: Name): readonly ResourceOf<Name>[] {
  return resources.flatMap((each) => (isOfKind(each, kind) ? [each] : []));
}

function isNamed(resource: Envelope, name: string): boolean {
  return name === resource.metadata.name || name === `${namespaceOf(resource)}/${resource.metadata.name}`;
}

function whichGateway(resources: readonly Resource[], wanted: string | undefined): string {
  const names = all(resources, 'Gateway').map((each) => `${namespaceOf(each)}/${each.metadata.name}`);
  if (names.length === 0) return 'there is no Gateway to render';
  const problem =
    wanted === undefined ? 'there are several Gateways, say which' : `no single Gateway ${JSON.stringify(wanted)}`;
  return `${problem}: there is ${names.join(', ')}`;
}
