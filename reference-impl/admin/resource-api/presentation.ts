import type { ApiCall } from './call.ts';
import type { ServedKind } from './served-kinds.ts';
import type { ShownObject } from './shown-object.ts';
import { rowsFor, tableOf } from './table.ts';

/** How a client wants to see objects. */
export type Presentation = 'object' | 'table' | 'metadata';

/** The first form of the Accept header that is known; plain objects for everything else. */
export function presentationOf({ request }: ApiCall): Presentation {
  for (const wanted of (request.headers.accept ?? '').split(',')) {
    const parameters = new Map(wanted.split(';').map((part) => [part.trim().split('=', 1)[0] ?? '', valueOf(part)]));
    if (!parameters.has('application/json')) continue;
    const as = parameters.get('as');
    if (as === undefined) return 'object';
    if (as === 'Table') return 'table';
    if (as === 'PartialObjectMetadata' || as === 'PartialObjectMetadataList') return 'metadata';
  }
  return 'object';
}

/** One object in the form the client wants. */
export function presentObject(call: ApiCall, kind: ServedKind, object: ShownObject): object {
  const presentation = presentationOf(call);
  if (presentation === 'metadata') return metadataOf(object);
  if (presentation === 'object') return object;
  return tableOf(kind.name, rowsFor(kind.name, [object], call), { resourceVersion: object.metadata.resourceVersion });
}

/** What every object has, without what makes it of its kind. */
export function metadataOf({ metadata }: ShownObject): object {
  return { apiVersion: 'meta.k8s.io/v1', kind: 'PartialObjectMetadata', metadata };
}

function valueOf(part: string): string {
  return part.split('=', 2)[1]?.trim() ?? '';
}
