import { resourceKey } from '../../resources/kinds.ts';
import { type JsonAnswer, ok } from './answer.ts';
import type { CollectionPath } from './paths.ts';
import type { ApiCall, Handler } from './call.ts';
import type { KnownObject } from './known-objects.ts';
import { metadataOf, presentationOf } from './presentation.ts';
import { redact } from './redaction.ts';
import { selectorOf } from './selectors.ts';
import type { ShownObject } from './shown-object.ts';
import { badRequest, expiredAnswer } from './status-errors.ts';
import { rowsFor, tableOf } from './table.ts';
import { watchObjects } from './watch.ts';

/** All objects of a collection that the selectors name, without credentials; with `watch`, their changes. */
export const listObjects: Handler<CollectionPath> = (call, path) => {
  const selects = selectorOf(call.query);
  if ('refused' in selects) return badRequest(selects.refused);
  if (['true', '1'].includes(call.query.get('watch') ?? '')) return watchObjects(call, path, selects);

  const page = pageOf(call.query, path);
  if ('refused' in page) return page.refused;
  const found = inCollection(call, path).filter(({ object, key }) => key > page.after && selects(object));
  const shown = found.slice(0, page.limit);
  const last = shown.at(-1);
  const rest = found.length - shown.length;
  const resourceVersion = String(call.context.objects.version());
  const more = rest > 0 && last !== undefined ? { continue: tokenOf(last.key), remainingItemCount: rest } : {};
  return ok(
    presentList(
      call,
      path,
      shown.map(({ object }) => redact(object)),
      { resourceVersion, ...more },
    ),
  );
};

/** The objects below a path, by key. */
export function inCollection({ context }: ApiCall, { kind, namespace }: CollectionPath): readonly KnownObject[] {
  const all = context.objects.all(kind.name).filter(({ object }) => isInside(object, namespace));
  return all.toSorted((left, right) => (left.key < right.key ? -1 : 1));
}

function isInside({ metadata }: ShownObject, namespace: string | undefined): boolean {
  return namespace === undefined || metadata.namespace === namespace;
}

function presentList(
  call: ApiCall,
  { kind }: CollectionPath,
  objects: readonly ShownObject[],
  metadata: object,
): object {
  const presentation = presentationOf(call);
  if (presentation === 'table') return tableOf(kind.name, rowsFor(kind.name, objects, call), metadata);
  if (presentation === 'metadata') {
    const items = objects.map(metadataOf);
    return { kind: 'PartialObjectMetadataList', apiVersion: 'meta.k8s.io/v1', metadata, items };
  }
  return { kind: `${kind.name}List`, apiVersion: kind.apiVersion, metadata, items: objects };
}

/** A page shows what is there when it is asked for: pages that follow each other may show different moments. */
function pageOf(
  query: URLSearchParams,
  { kind }: CollectionPath,
): { readonly limit: number; readonly after: string } | { readonly refused: JsonAnswer } {
  const limit = Number(query.get('limit') ?? '0');
  if (!Number.isSafeInteger(limit) || limit < 0) return { refused: badRequest('limit: must be a number') };
  const token = query.get('continue') ?? '';
  const after = Buffer.from(token, 'base64url').toString();
  // Clients begin a list again after a 410, and give up after a 400.
  if (token !== '' && (tokenOf(after) !== token || !after.startsWith(resourceKey(kind.name, '', '').slice(0, -1))))
    return { refused: expiredAnswer('continue: no token this server gave for this list') };
  return { limit: limit === 0 ? Infinity : limit, after };
}

function tokenOf(key: string): string {
  return Buffer.from(key).toString('base64url');
}
