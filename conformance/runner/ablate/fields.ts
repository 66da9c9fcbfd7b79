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
  const rest = change(resource, '', field.path, () => []);
  return isObject(rest) ? rest : resource;
}

/** The resource with the value wherever it sets the field. Other kinds stay as they are. */
export function withValue(resource: JsonObject, field: Field, value: unknown): JsonObject {
  if (resource['kind'] !== field.kind) return resource;
  const rest = change(resource, '', field.path, () => [value]);
  return isObject(rest) ? rest : resource;
}

/** The resource with what `by` makes of each value of the field. Other kinds stay as they are. */
export function withResult(resource: JsonObject, field: Field, by: (value: unknown) => unknown): JsonObject {
  if (resource['kind'] !== field.kind) return resource;
  const rest = change(resource, '', field.path, (value) => [by(value)]);
  return isObject(rest) ? rest : resource;
}

/** Every value the resource gives the field. */
export function valuesOf(resource: JsonObject, field: Field): readonly unknown[] {
  const found: unknown[] = [];
  if (resource['kind'] !== field.kind) return found;
  change(resource, '', field.path, (value) => {
    found.push(value);
    return [value];
  });
  return found;
}

/** Whether the members of the field have names of the user's own. */
export function isMap({ path }: Field): boolean {
  return MAPS.has(lastName(path));
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

/** A copy in which each value at the path has become what `by` makes of it; of no value the member goes. */
function change(value: unknown, at: string, target: string, by: (value: unknown) => readonly unknown[]): unknown {
  if (isList(value)) return value.map((item) => change(item, `${at}[]`, target, by));
  if (!isObject(value)) return value;
  return Object.fromEntries(
    Object.entries(value).flatMap(([name, item]) => {
      const here = below(at, name);
      if (here === target) return by(item).map((changed) => [name, changed]);
      return [[name, change(item, here, target, by)]];
    }),
  );
}

function below(path: string, name: string): string {
  return path === '' ? name : `${path}.${name}`;
}

function lastName(path: string): string {
  return path.slice(path.lastIndexOf('.') + 1);
}
