import { type Fields, isFields } from '../../resources/groups.ts';
import { type JsonAnswer, ok } from './answer.ts';
import { parseFields, readBody, unknownFormat } from './body.ts';
import type { CollectionPath, ObjectPath } from './paths.ts';
import type { ApiCall, Handler } from './call.ts';
import { DEFAULT_NAMESPACE } from './implied-namespaces.ts';
import type { KnownObject } from './known-objects.ts';
import { inCollection } from './list.ts';
import { liveAt } from './objects.ts';
import { PROTOBUF } from './protobuf.ts';
import { redact } from './redaction.ts';
import { selectorOf } from './selectors.ts';
import { SERVED_KINDS, type ServedKind } from './served-kinds.ts';
import { badRequest, conflict, detailsOf, failure, notFound, statusObject } from './status-errors.ts';
import { writeOptions } from './write-options.ts';

/** Takes one object out; a Namespace with everything in it. Finalizers and propagation policies mean nothing here. */
export const deleteObject: Handler<ObjectPath> = async (call, path) => {
  const options = await deleteOptions(call);
  if ('refused' in options) return options.refused;
  const { kind, name } = path;
  const live = liveAt(call, path);
  if (live === undefined) return notFound(kind, name);
  const { uid, resourceVersion } = live.object.metadata;
  const wanted = options.preconditions;
  if (wanted['uid'] !== undefined && wanted['uid'] !== uid) {
    return conflict(kind, name, 'the uid is that of another object');
  }
  if (wanted['resourceVersion'] !== undefined && wanted['resourceVersion'] !== resourceVersion) {
    return conflict(kind, name, 'the object has been modified');
  }
  const refused = await remove(call, kind, [live, ...contentOf(call, path)], options.dryRun);
  return refused ?? ok(statusObject('Success', { details: { ...detailsOf(kind, name), uid } }));
};

/** Takes out every object of a collection that the selectors name. */
export const deleteObjects: Handler<CollectionPath> = async (call, path) => {
  const options = await deleteOptions(call);
  if ('refused' in options) return options.refused;
  const selects = selectorOf(call.query);
  if ('refused' in selects) return badRequest(selects.refused);
  const { kind } = path;
  if (kind.name === 'Namespace') return failure(405, 'MethodNotAllowed', 'delete namespaces one by one');
  const found = inCollection(call, path).filter(({ object }) => selects(object));
  const refused = await remove(call, kind, found, options.dryRun);
  const metadata = { resourceVersion: String(call.context.objects.version()) };
  const items = found.map(({ object }) => redact(object));
  return refused ?? ok({ kind: `${kind.name}List`, apiVersion: kind.apiVersion, metadata, items });
};

/** All or nothing: an object that comes from a file cannot be deleted here. */
async function remove(
  { context }: ApiCall,
  kind: ServedKind,
  victims: readonly KnownObject[],
  dryRun: boolean,
): Promise<JsonAnswer | undefined> {
  for (const { key, object } of victims) {
    const { name } = object.metadata;
    const owner = context.source.ownedElsewhere(key);
    if (owner !== undefined) return conflict(kind, name, `${key} comes from ${owner}; delete it there`);
    if (key === `Namespace//${DEFAULT_NAMESPACE}`) {
      return failure(403, 'Forbidden', 'the namespace default may not be deleted', detailsOf(kind, name));
    }
  }
  if (dryRun) return undefined;
  context.source.remove(victims.map(({ key }) => key));
  await context.live();
  return undefined;
}

/** What lies in a Namespace; nothing for other kinds. */
function contentOf({ context }: ApiCall, { kind, name }: ObjectPath): readonly KnownObject[] {
  if (kind.name !== 'Namespace') return [];
  return SERVED_KINDS.flatMap((served) => context.objects.all(served.name)).filter(
    ({ object }) => object.metadata.namespace === name,
  );
}

interface DeleteOptions {
  readonly dryRun: boolean;
  readonly preconditions: Fields;
}

/** The options of the query and those of the body, which may be empty. */
async function deleteOptions(call: ApiCall): Promise<DeleteOptions | { readonly refused: JsonAnswer }> {
  const read = await readBody(call.request);
  if (!read.ok) return { refused: read.answer };
  const options = writeOptions(call);
  if ('refused' in options) return options;
  const { bytes, mediaType, text } = read.body;
  if (bytes.byteLength === 0) return { dryRun: options.dryRun, preconditions: {} };
  // An option that is not understood, such as a dry run, must not be ignored.
  if (mediaType === PROTOBUF) return { refused: unknownFormat(['application/json', 'application/yaml']) };
  const parsed = parseFields(text);
  if (!parsed.ok) return { refused: parsed.answer };
  const { dryRun, preconditions } = parsed.value;
  return {
    dryRun: options.dryRun || (Array.isArray(dryRun) && dryRun.includes('All')),
    preconditions: isFields(preconditions) ? preconditions : {},
  };
}
