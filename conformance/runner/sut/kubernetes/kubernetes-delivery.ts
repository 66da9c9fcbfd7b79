import { isList, isObject } from '../../values/json.ts';
import type { Dialect } from '../dialect.ts';
import type { Delivered, Delivery, Resource, Violation } from '../session.ts';
import { refOf, type ApiResponse, type KubernetesClient, type ObjectRef } from './client.ts';
import { inNamespaces, type NamespaceNames } from './namespaces.ts';

/** How resources of the suite become resources of a cluster. */
export interface ClusterNames extends NamespaceNames {
  /** Takes the place of the class that Gateways of the cases name. */
  readonly gatewayClass?: string | undefined;
}

/**
 * Delivery by server-side apply: a namespace of the cluster for each of the suite's, what is no longer there is deleted,
 * and a namespace that is gone goes with everything in it. Each change is applied object by object, so a refusal is known
 * by its object.
 */
export function kubernetesDelivery(
  client: KubernetesClient,
  dialect: Dialect,
  names: ClusterNames,
): { readonly deliver: (delivery: Delivery) => Promise<Delivered>; readonly clean: () => Promise<void> } {
  const applied = new Map<string, readonly ObjectRef[]>();

  const change = async (
    namespace: string,
    resources: readonly Resource[] | undefined,
  ): Promise<readonly Violation[]> => {
    const wanted = (resources ?? []).map((resource) => translateResource(resource, dialect, names));
    const refs = wanted.map(refOf);
    const keep = new Set(refs.map(keyOf));
    const before = applied.get(namespace) ?? [];
    const spaces = wanted.length === 0 ? [] : [names.theirs(namespace), ...refs.map((ref) => ref.namespace)];
    await Promise.all(
      [...new Set(spaces)].filter((name) => name !== '').map(async (name) => client.apply(namespaceObject(name))),
    );
    const answers: (readonly Violation[])[] = [];
    // In order, because a Namespace of the list has to be there for what lies in it.
    for (const resource of wanted) answers.push(refusals(resource, await client.apply(resource), names));
    for (const gone of before.filter((ref) => !keep.has(keyOf(ref)))) await client.remove(gone);
    if (resources === undefined) {
      const left = new Set(
        [names.theirs(namespace), ...before.map((ref) => ref.namespace)].filter((name) => name !== ''),
      );
      await Promise.all([...left].map(async (name) => client.remove(refOf(namespaceObject(name)))));
    }
    if (refs.length === 0) applied.delete(namespace);
    else applied.set(namespace, refs);
    return answers.flat();
  };
  return {
    deliver: async (delivery) => {
      try {
        const found = await Promise.all(
          delivery.changed.map(async (namespace) => change(namespace, delivery.files.get(namespace))),
        );
        const violations = found.flat();
        return violations.length === 0 ? { kind: 'delivered' } : { kind: 'rejected', violations };
      } catch (error) {
        return { kind: 'failed', message: error instanceof Error ? error.message : String(error) };
      }
    },
    clean: async () => {
      await Promise.all([...applied.keys()].map(async (namespace) => change(namespace, undefined)));
    },
  };
}

/** A resource as the cluster gets it: in the dialect, with the prefix on every namespace and the class of the cluster. */
export function translateResource(resource: Resource, dialect: Dialect, names: ClusterNames): Resource {
  const renamed = inNamespaces(dialect.toImplementation(resource), names.theirs);
  if (!isObject(renamed)) return {};
  const { spec } = renamed;
  if (names.gatewayClass === undefined || !isObject(spec) || spec['gatewayClassName'] === undefined) return renamed;
  return { ...renamed, spec: { ...spec, gatewayClassName: names.gatewayClass } };
}

/** What a refusal says about an object; empty when the object was taken. Other failures reject. */
export function refusals(resource: Resource, answer: ApiResponse, names: NamespaceNames): readonly Violation[] {
  if (answer.status >= 200 && answer.status < 300) return [];
  const { kind, namespace, name } = refOf(resource);
  if (![400, 403, 404, 409, 422].includes(answer.status)) {
    throw new Error(
      `the API server answered ${answer.status} for ${kind} ${namespace}/${name}: ${messageOf(answer.body)}`,
    );
  }
  const place = { resource: `${kind} ${names.ours(namespace)}/${name}`, namespace: names.ours(namespace) };
  const causes = causesOf(answer.body);
  if (causes.length === 0) return [{ ...place, message: messageOf(answer.body) }];
  return causes.map((cause) => ({
    ...place,
    ...(typeof cause['field'] === 'string' ? { path: cause['field'] } : {}),
    message: typeof cause['message'] === 'string' ? cause['message'] : '',
  }));
}

function causesOf(body: unknown): readonly Readonly<Record<string, unknown>>[] {
  const details = isObject(body) ? body['details'] : undefined;
  const causes = isObject(details) ? details['causes'] : undefined;
  return isList(causes) ? causes.filter(isObject) : [];
}

function messageOf(body: unknown): string {
  return isObject(body) && typeof body['message'] === 'string' ? body['message'] : 'no reason given';
}

function namespaceObject(name: string): Resource {
  return { apiVersion: 'v1', kind: 'Namespace', metadata: { name } };
}

function keyOf({ kind, namespace, name }: ObjectRef): string {
  return `${kind} ${namespace}/${name}`;
}
