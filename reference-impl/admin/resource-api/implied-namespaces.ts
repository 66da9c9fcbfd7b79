import type { Namespace } from '../../resources/core/namespace.ts';
import { namespaceOf } from '../../resources/envelope.ts';
import type { Snapshot } from '../../store/snapshot.ts';

/** Always there, and never deleted. */
export const DEFAULT_NAMESPACE = 'default';

const made = new Map<string, Namespace>();

/**
 * The Namespaces without an object of their own: `default`, and those that objects from files live in. The same objects
 * every time, so that they are seen not to have changed.
 */
export function impliedNamespaces(snapshot: Snapshot): readonly Namespace[] {
  const written = new Set(snapshot.byKind('Namespace').map(({ metadata }) => metadata.name));
  const used = new Set([DEFAULT_NAMESPACE, ...[...snapshot.resources.values()].map(namespaceOf)]);
  const implied = [...used].filter((name) => name !== '' && !written.has(name));
  for (const name of made.keys()) if (!used.has(name)) made.delete(name);
  return implied.map(impliedNamespace);
}

function impliedNamespace(name: string): Namespace {
  const known = made.get(name) ?? { apiVersion: 'v1', kind: 'Namespace', metadata: { name } };
  made.set(name, known);
  return known;
}
