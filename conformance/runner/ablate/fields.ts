import { API_VERSIONS } from '../case/kinds.ts';
import { isList, isObject, type JsonObject } from '../values/json.ts';

/** A field of a kind: `ProxyPolicy`, `spec.traffic.timeouts.request`; `[]` stands for every item of a list. */
export interface Field {
  readonly kind: string;
  readonly path: string;
}

/**
 * The fields a resource sets, containers before what they hold. What says which resource it is does not count, and a kind that a
 * case made up has no fields.
 */
export function fieldsOf(resource: JsonObject): readonly Field[] {
  const kind = String(resource['kind']);
  if (!Object.hasOwn(API_VERSIONS, kind)) return [];
  const paths = pathsIn(resource, '').filter((path) => !IDENTITY.has(path));
  return [...new Set(paths)].map((path) => ({ kind, path }));
}

/** The resource as it would be had nobody set the field, in any item of the lists on its way. Other kinds stay as they are. */
export function withoutField(resource: JsonObject, field: Field): JsonObject {
  if (resource['kind'] !== field.kind) return resource;
  const rest = drop(resource, '', field.path);
  return isObject(rest) ? rest : resource;
}

/** `ProxyPolicy spec.traffic.timeouts.request`. */
export function fieldName({ kind, path }: Field): string {
  return `${kind} ${path}`;
}

const IDENTITY: ReadonlySet<string> = new Set([
  'apiVersion',
  'kind',
  'metadata',
  'metadata.name',
  'metadata.namespace',
  'spec',
]);

/** Members of these have names of the user's own: the map counts as one field. */
const MAPS: ReadonlySet<string> = new Set([
  'addRequestHeaders',
  'additionalParams',
  'annotations',
  'claims',
  'contextExtensions',
  'data',
  'labels',
  'matchLabels',
  'metadata',
  'metadataContext',
  'methods',
  'modelAliases',
  'requestAttributes',
  'requestMetadata',
  'resourceMetadata',
  'responseAttributes',
  'responseMetadata',
  'routes',
  'stringData',
]);

function pathsIn(value: unknown, path: string): readonly string[] {
  if (isList(value)) return value.flatMap((item) => pathsIn(item, `${path}[]`));
  if (!isObject(value) || (path.includes('.') && MAPS.has(lastName(path)))) return [];
  return Object.entries(value).flatMap(([name, item]) => {
    const here = below(path, name);
    return [here, ...pathsIn(item, here)];
  });
}

function drop(value: unknown, path: string, target: string): unknown {
  if (isList(value)) return value.map((item) => drop(item, `${path}[]`, target));
  if (!isObject(value)) return value;
  return Object.fromEntries(
    Object.entries(value).flatMap(([name, item]) => {
      const here = below(path, name);
      return here === target ? [] : [[name, drop(item, here, target)]];
    }),
  );
}

function below(path: string, name: string): string {
  return path === '' ? name : `${path}.${name}`;
}

function lastName(path: string): string {
  return path.slice(path.lastIndexOf('.') + 1);
}
