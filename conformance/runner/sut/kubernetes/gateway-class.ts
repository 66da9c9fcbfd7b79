import { isObject } from '../../values/json.ts';
import { ImplementationFault, type Resource } from '../session.ts';
import type { KubernetesClient } from './client.ts';

/** What GatewayClasses are called in a cluster. */
export interface ClassNames {
  /** Takes the place of the class that Gateways of the cases name. */
  readonly gatewayClass?: string | undefined;
  /** Who serves it; a class that a case brings along is served by the same. */
  readonly controllerName?: string | undefined;
}

/** Names that cases have for the class of the implementation. Any other is that of a class they bring along. */
const OF_IMPLEMENTATION: ReadonlySet<unknown> = new Set(['proxy', 'conformance']);

/** The class a manifest names, with its controller where the server tells it. Throws ImplementationFault when there is no such class. */
export async function readGatewayClass(client: KubernetesClient, gatewayClass: string): Promise<ClassNames> {
  const { status, body } = await client.read({
    apiVersion: 'gateway.networking.k8s.io/v1',
    kind: 'GatewayClass',
    namespace: '',
    name: gatewayClass,
  });
  if (status === 404)
    throw new ImplementationFault(`run.gatewayClass: the API server has no GatewayClass ${gatewayClass}`);
  // Who may not read classes does not learn the controller.
  const { controllerName } = isObject(body) && isObject(body['spec']) ? body['spec'] : {};
  return { gatewayClass, ...(typeof controllerName === 'string' ? { controllerName } : {}) };
}

/** A copy of a Gateway with the class of the cluster, of a GatewayClass with its controller; anything else as it is. */
export function inGatewayClass(resource: Resource, { gatewayClass, controllerName }: ClassNames): Resource {
  const { kind, spec } = resource;
  if (!isObject(spec)) return resource;
  if (gatewayClass !== undefined && OF_IMPLEMENTATION.has(spec['gatewayClassName']))
    return { ...resource, spec: { ...spec, gatewayClassName: gatewayClass } };
  if (controllerName !== undefined && kind === 'GatewayClass')
    return { ...resource, spec: { ...spec, controllerName } };
  return resource;
}
