import { randomBytes } from 'node:crypto';
import { admit } from '../../admission/admit.ts';
import { invariant } from '../../base/invariant.ts';
import type { Json } from '../../base/json.ts';
import type { Manifest } from '../../deployer/manifest.ts';
import { provisioningOf } from '../../deployer/render-input.ts';
import { render, type RenderInput, type Rendered } from '../../deployer/render.ts';
import type { Resource } from '../../resources/kinds.ts';

const GATEWAY_API = 'gateway.networking.k8s.io/v1';
const reference = (name: string): object => ({ group: 'proxy.example', kind: 'ProxyParameters', name });

/** A Gateway with a listener on 8080 and parameters `own`. */
export function gateway(spec: object = {}, name = 'gw'): Resource {
  return admitted({
    apiVersion: GATEWAY_API,
    kind: 'Gateway',
    metadata: { name, namespace: 'ns', uid: 'u-1' },
    spec: {
      gatewayClassName: 'proxy',
      listeners: [{ name: 'http', port: 8080, protocol: 'HTTP' }],
      infrastructure: { parametersRef: reference('own') },
      ...spec,
    },
  });
}

/** The class of that Gateway, with parameters `shared`. */
export function gatewayClass(): Resource {
  return admitted({
    apiVersion: GATEWAY_API,
    kind: 'GatewayClass',
    metadata: { name: 'proxy' },
    spec: { controllerName: 'a.example/b', parametersRef: { ...reference('shared'), namespace: 'system' } },
  });
}

/** `own` stands in the namespace of the Gateway, `shared` in that of the class. */
export function parameters(name: 'own' | 'shared', spec: object): Resource {
  const namespace = name === 'own' ? 'ns' : 'system';
  return admitted({
    apiVersion: 'proxy.example/v1alpha1',
    kind: 'ProxyParameters',
    metadata: { name, namespace },
    spec,
  });
}

/** A ListenerSet with one listener. */
export function listenerSet(name: string, namespace: string, parentRef: object, port: number): Resource {
  return admitted({
    apiVersion: GATEWAY_API,
    kind: 'ListenerSet',
    metadata: { name, namespace },
    spec: { parentRef, listeners: [{ name: 'l', port, protocol: 'HTTP' }] },
  });
}

export function admitted(value: object): Resource {
  const admission = admit(value);
  invariant(admission.ok, admission.ok ? '' : JSON.stringify(admission.violations));
  return admission.resource;
}

/** What the resources come to, with a version and randomness of its own. */
export function rendered(resources: readonly Resource[], options: Partial<RenderInput> = {}): Rendered {
  const provisioning = provisioningOf(resources);
  if (!provisioning.ok) return provisioning;
  return render({ ...provisioning.found, version: '9.9.9', nulls: 'ignore', randomBytes, ...options });
}

/** The manifests of resources that have no problems. */
export function manifestsOf(resources: readonly Resource[], options: Partial<RenderInput> = {}): readonly Manifest[] {
  const outcome = rendered(resources, options);
  invariant(outcome.ok, outcome.ok ? '' : outcome.problems.join('\n'));
  return outcome.manifests;
}

export function manifest(manifests: readonly Manifest[], kind: string): Manifest {
  const found = manifests.find((each) => each.kind === kind);
  invariant(found !== undefined, `there is no ${kind}`);
  return found;
}

/** The value at a dotted path. */
export function at(value: Json, path: string): unknown {
  return path.split('.').reduce<unknown>((inner, key) => {
    return typeof inner === 'object' && inner !== null ? Reflect.get(inner, key) : undefined;
  }, value);
}
