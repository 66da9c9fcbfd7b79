import { namespaceOf } from '../../resources/envelope.ts';
import type { ProxyModel } from '../../resources/proxy-model/model.ts';
import type { Snapshot } from '../../store/snapshot.ts';
import type { GatewayListener } from '../listeners.ts';
import type { RouteAttachments } from '../routes/route-attachment.ts';

/** MODEL-002: which models hang on which listeners, by namespace and name. */
export function attachModels(
  snapshot: Snapshot,
  { attachmentOf }: Pick<RouteAttachments, 'attachmentOf'>,
): (listener: GatewayListener) => readonly ProxyModel[] {
  const models = new Map<GatewayListener, Set<ProxyModel>>();
  for (const model of snapshot.byKind('ProxyModel').toSorted(byName)) {
    const listeners = model.spec.parentRefs.flatMap((ref) => attachmentOf(ref, model).listeners);
    for (const listener of listeners) models.set(listener, (models.get(listener) ?? new Set()).add(model));
  }
  return (listener) => [...(models.get(listener) ?? [])];
}

function byName(one: ProxyModel, other: ProxyModel): number {
  return compare(namespaceOf(one), namespaceOf(other)) || compare(one.metadata.name, other.metadata.name);
}

function compare(one: string, other: string): number {
  return one < other ? -1 : Number(one > other);
}
