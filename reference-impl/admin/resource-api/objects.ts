import { randomInt } from 'node:crypto';
import { type Fields, isFields } from '../../resources/groups.ts';
import { resourceKey } from '../../resources/kinds.ts';
import { type ApiAnswer, ok } from './answer.ts';
import { readObject, readBody, valueLimit } from './body.ts';
import { compileAhead } from './compile-ahead.ts';
import type { CollectionPath, ObjectPath } from './paths.ts';
import type { ApiCall, Handler } from './call.ts';
import { managedFieldsIn, managedFieldsOf, managersAfterUpdate, managersOf } from './managed-fields.ts';
import type { KnownObject } from './known-objects.ts';
import { presentObject } from './presentation.ts';
import { withoutStringData } from './secret-data.ts';
import type { ServedKind } from './served-kinds.ts';
import { alreadyExists, badRequest, methodNotAllowed, notFound } from './status-errors.ts';
import { type Submission, submit } from './submit.ts';
import { type WriteOptions, writeOptions } from './write-options.ts';

/** One object, asked for by name: with everything it holds. */
export const getObject: Handler<ObjectPath> = (call, path) => {
  const found = liveAt(call, path);
  return found === undefined ? notFound(path.kind, path.name) : ok(presentObject(call, path.kind, found.object));
};

/** Adds an object of the body. */
export const createObject: Handler<CollectionPath> = async (call, { kind, namespace = '' }) => {
  if (kind.namespaced && namespace === '') return methodNotAllowed(['GET']);
  const read = await readWrite(call, kind);
  if ('refused' in read) return read.refused;
  const { sent, options } = read;

  const object = withoutStringData(withGeneratedName(sent));
  const metadata = isFields(object['metadata']) ? object['metadata'] : {};
  if (metadata['resourceVersion'] !== undefined && metadata['resourceVersion'] !== '') {
    return badRequest('resourceVersion should not be set on objects to be created');
  }
  const name = typeof metadata['name'] === 'string' ? metadata['name'] : '';
  const key = resourceKey(kind.name, namespace, name);
  if (call.context.objects.get(key) !== undefined) {
    const owner = call.context.source.ownedElsewhere(key);
    return alreadyExists(kind, name, owner === undefined ? '' : `: it comes from ${owner}`);
  }
  const managedFields = managedAfter(call, { kind, object, live: undefined, options });
  return submit({ kind, namespace, name, object, live: undefined, managedFields, options }, call.context);
};

/** Replaces an object by that of the body. */
export const replaceObject: Handler<ObjectPath> = async (call, path) => {
  const read = await readWrite(call, path.kind);
  if ('refused' in read) return read.refused;
  const { sent, options } = read;
  const live = liveAt(call, path);
  return live === undefined ? notFound(path.kind, path.name) : update(call, path, { sent, live, options });
};

/** The object a client sent, and how it wants that to be handled. */
async function readWrite(
  call: ApiCall,
  kind: ServedKind,
): Promise<{ readonly sent: Fields; readonly options: WriteOptions } | { readonly refused: ApiAnswer }> {
  const read = await readBody(call.request);
  if (!read.ok) return { refused: read.answer };
  const parsed = readObject(read.body, valueLimit(kind));
  if (!parsed.ok) return { refused: parsed.answer };
  const options = writeOptions(call);
  if ('refused' in options) return options;
  await compileAhead(kind, parsed.value, call.context.clock);
  return { sent: withType(parsed.value, kind), options };
}

/** The path says what an object is, where the object does not. */
function withType(object: Fields, { apiVersion, name }: ServedKind): Fields {
  const written = (member: string): boolean => object[member] !== undefined && object[member] !== '';
  return {
    ...object,
    ...(written('apiVersion') ? {} : { apiVersion }),
    ...(written('kind') ? {} : { kind: name }),
  };
}

/** Puts `sent` in the place of `live`, for whoever made it out of what: a whole body, or a patch. */
export function update(
  call: ApiCall,
  path: ObjectPath,
  { sent, live, options }: { readonly sent: Fields; readonly live: KnownObject; readonly options: WriteOptions },
): Promise<ApiAnswer> {
  const { kind, namespace, name } = path;
  const object = withoutStringData(sent);
  const managedFields = managedAfter(call, { kind, object, live, options });
  return submit({ kind, namespace, name, object, live, managedFields, options }, call.context);
}

export function liveAt({ context }: ApiCall, { kind, namespace, name }: ObjectPath): KnownObject | undefined {
  return context.objects.get(resourceKey(kind.name, namespace, name));
}

/** A client that writes `managedFields` itself decides who the managers so far were. */
function managedAfter(
  { context }: ApiCall,
  { kind, object, live, options: { manager } }: Pick<Submission, 'kind' | 'object' | 'live' | 'options'>,
): readonly object[] {
  const metadata = object['metadata'];
  const written = isFields(metadata) && metadata['managedFields'] !== undefined;
  const known = managersOf(written ? { metadata: { managedFields: managedFieldsIn(object) } } : live?.object);
  const writer = { manager, apiVersion: kind.apiVersion, clock: context.clock };
  return managedFieldsOf(managersAfterUpdate(kind.name, known, { before: live?.object ?? {}, after: object }, writer));
}

/** An object that has only the beginning of a name gets the rest of it here. */
function withGeneratedName(object: Fields): Fields {
  const metadata = object['metadata'];
  if (!isFields(metadata)) return object;
  const { name, generateName, ...rest } = metadata;
  if ((name !== undefined && name !== '') || typeof generateName !== 'string' || generateName === '') return object;
  const end = Array.from({ length: 5 }, () => NAME_CHARACTERS[randomInt(NAME_CHARACTERS.length)]).join('');
  return { ...object, metadata: { ...rest, name: `${generateName}${end}` } };
}

/** Without vowels, so that no words come out. */
const NAME_CHARACTERS = 'bcdfghjklmnpqrstvwxz2456789';
