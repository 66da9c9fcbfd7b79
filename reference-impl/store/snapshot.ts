import { isOfKind, type KindName, type Resource, resourceKey, type ResourceOf } from '../resources/kinds.ts';

/** All resources at one moment. Never changes; objects that did not change are the same objects in the next one. */
export interface Snapshot {
  /** Grows by one with every change. */
  readonly generation: number;
  /** By `kind.group/namespace/name`. */
  readonly resources: ReadonlyMap<string, Resource>;
  /** All of one kind, ordered by namespace, then name. */
  readonly byKind: <Name extends KindName>(kind: Name) => readonly ResourceOf<Name>[];
  readonly get: <Name extends KindName>(kind: Name, namespace: string, name: string) => ResourceOf<Name> | undefined;
}

export function snapshotOf(generation: number, resources: ReadonlyMap<string, Resource>): Snapshot {
  const sorted = new Map<KindName, readonly Resource[]>();
  const allOf = (kind: KindName): readonly Resource[] => {
    const known = sorted.get(kind);
    if (known !== undefined) return known;
    const found = [...resources.values()].filter((resource) => resource.kind === kind).toSorted(byNamespaceAndName);
    sorted.set(kind, found);
    return found;
  };

  return {
    generation,
    resources,
    byKind: <Name extends KindName>(kind: Name) =>
      allOf(kind).filter((resource): resource is ResourceOf<Name> => isOfKind(resource, kind)),
    get: <Name extends KindName>(kind: Name, namespace: string, name: string) => {
      const found = resources.get(resourceKey(kind, namespace, name));
      return found !== undefined && isOfKind(found, kind) ? found : undefined;
    },
  };
}

function byNamespaceAndName(left: Resource, right: Resource): number {
  return (
    compare(left.metadata.namespace ?? '', right.metadata.namespace ?? '') ||
    compare(left.metadata.name, right.metadata.name)
  );
}

function compare(left: string, right: string): number {
  if (left === right) return 0;
  return left < right ? -1 : 1;
}
