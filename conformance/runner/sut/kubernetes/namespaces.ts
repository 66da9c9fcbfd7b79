import { isList, isObject } from '../../values/json.ts';

/** The suite's namespaces and those of the cluster, one for one. */
export interface NamespaceNames {
  readonly theirs: (ours: string) => string;
  readonly ours: (theirs: string) => string;
}

/** A prefix keeps the namespaces of a run apart from everything else in a cluster. */
export function prefixedNamespaces(prefix: string): NamespaceNames {
  return {
    theirs: (ours) => (ours === '' ? '' : `${prefix}${ours}`),
    ours: (theirs) => (theirs.startsWith(prefix) ? theirs.slice(prefix.length) : theirs),
  };
}

/** A copy in which every namespace has its other name: members called `namespace`, and the name of a Namespace. */
export function inNamespaces(resource: unknown, rename: (name: string) => string): unknown {
  const renamed = deep(resource, rename);
  if (!isObject(renamed) || renamed['kind'] !== 'Namespace' || !isObject(renamed['metadata'])) return renamed;
  const { metadata } = renamed;
  return { ...renamed, metadata: { ...metadata, name: rename(String(metadata['name'])) } };
}

function deep(value: unknown, rename: (name: string) => string): unknown {
  if (isList(value)) return value.map((item) => deep(item, rename));
  if (!isObject(value)) return value;
  return Object.fromEntries(
    Object.entries(value).map(([key, item]) => [
      key,
      key === 'namespace' && typeof item === 'string' ? rename(item) : deep(item, rename),
    ]),
  );
}
