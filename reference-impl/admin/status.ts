import type { ResourceStatus } from '../attachment/conditions.ts';
import { isKindName, resourceKey } from '../resources/kinds.ts';
import { answerJson, type AdminContext, type AdminRequest, type AdminServices } from './endpoint.ts';
import { isKnown } from './known.ts';

/**
 * The status of every resource that has one: `{generation, resources: [{kind, namespace, name, status}]}`. Conditions tell the
 * generation they are about and since when they hold, as far as somebody has looked.
 */
export function status(exchange: AdminRequest, { view, objects, instance }: AdminServices): void {
  const current = view();
  if (isKnown(exchange, `${instance}.${current.generation}`)) return;
  const resources = current.status().map((entry) => ({ ...entry, status: storedStatus(entry, objects) }));
  answerJson(exchange.response, { generation: current.generation, resources });
}

function storedStatus(
  { kind, namespace, name, status: plain }: ResourceStatus,
  objects: AdminContext['objects'],
): unknown {
  if (!isKindName(kind)) return plain;
  return objects?.get(resourceKey(kind, namespace, name))?.object['status'] ?? plain;
}
