import { ACCESS_REVIEWS } from './access-review.ts';
import { kindAt, type ServedKind } from './served-kinds.ts';

/** What a path of the resource API names. */
export type ApiPath =
  /** A document about the API itself: discovery, schemas, version. */
  | { readonly at: 'document'; readonly steps: readonly string[] }
  | ({ readonly at: 'collection' } & CollectionPath)
  | ({ readonly at: 'object' } & ObjectPath)
  /** The question what the client may do. */
  | { readonly at: 'accessReview' }
  /** The status of one object. */
  | ({ readonly at: 'status' } & ObjectPath);

/** All objects of a kind; without `namespace` those of every namespace. */
export interface CollectionPath {
  readonly kind: ServedKind;
  readonly namespace?: string;
}

/** One object; cluster-wide kinds have the empty namespace. */
export interface ObjectPath {
  readonly kind: ServedKind;
  readonly namespace: string;
  readonly name: string;
}

/** The first steps of every path that belongs to the resource API. */
const ROOTS: ReadonlySet<string> = new Set(['api', 'apis', 'openapi', 'version']);

/** Whether a path, still encoded, is for the resource API. */
export function isResourcePath(path: string): boolean {
  return ROOTS.has(path.split('/', 2)[1] ?? '');
}

/** Where clients look for more kinds before they say that they do not know one. */
export const EXTENSIONS = 'apis/apiextensions.k8s.io/v1/customresourcedefinitions';

/** Undefined for paths that name nothing. */
export function parsePath(path: string): ApiPath | undefined {
  const steps = decodedSteps(path);
  if (steps === undefined) return undefined;
  if (steps.join('/') === EXTENSIONS) return { at: 'document', steps };
  if (steps.join('/') === `apis/${ACCESS_REVIEWS.apiVersion}/${ACCESS_REVIEWS.plural}`) return { at: 'accessReview' };
  const [root = '', ...rest] = steps;
  if (root === 'api' && rest.length > 1) return resourcePath(rest[0] ?? '', rest.slice(1));
  if (root === 'apis' && rest.length > 2) return resourcePath(`${rest[0] ?? ''}/${rest[1] ?? ''}`, rest.slice(2));
  return { at: 'document', steps };
}

/** `[namespaces/NAMESPACE/]PLURAL[/NAME[/status]]`. */
function resourcePath(apiVersion: string, steps: readonly string[]): ApiPath | undefined {
  const [first = '', second, third, ...more] = steps;
  // `namespaces/x` is the Namespace itself, `namespaces/x/status` its status, anything else lies in it.
  if (first === 'namespaces' && third !== undefined && kindAt(apiVersion, third) !== undefined) {
    return below(apiVersion, third, second ?? '', more);
  }
  return below(apiVersion, first, undefined, steps.slice(1));
}

function below(
  apiVersion: string,
  plural: string,
  namespace: string | undefined,
  steps: readonly string[],
): ApiPath | undefined {
  const kind = kindAt(apiVersion, plural);
  const [name, subresource, ...more] = steps;
  if (kind === undefined || more.length > 0) return undefined;
  if (namespace !== undefined && !kind.namespaced) return undefined;
  if (name === undefined) return { at: 'collection', kind, ...(namespace === undefined ? {} : { namespace }) };
  if (kind.namespaced && namespace === undefined) return undefined;
  if (subresource !== undefined && subresource !== 'status') return undefined;
  return { at: subresource ?? 'object', kind, namespace: namespace ?? '', name };
}

function decodedSteps(path: string): string[] | undefined {
  try {
    const steps = path.replace(/\/$/, '').split('/').slice(1).map(decodeURIComponent);
    return steps.includes('') ? undefined : steps;
  } catch {
    // A lone percent sign names nothing.
    return undefined;
  }
}
