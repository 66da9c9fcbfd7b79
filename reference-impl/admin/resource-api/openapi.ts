import { perKey } from '../../base/per-key.ts';
import type { Fields } from '../../resources/groups.ts';
import { type ApiAnswer, ok } from './answer.ts';
import { schemaOf } from './openapi-schema.ts';
import { OPENAPI_V2, openApiV2 } from './openapi-v2.ts';
import { SERVED_KINDS, type ServedKind } from './served-kinds.ts';
import { failure, noSuchPath } from './status-errors.ts';

/** `/openapi/v3`, its documents by group and version, and the little that is served of the older format. */
export function openApiDocument(steps: readonly string[], accept = ''): ApiAnswer {
  const [, format, ...rest] = steps;
  if (format === 'v2' && rest.length === 0) {
    if (accept.includes(OPENAPI_V2)) return openApiV2;
    return failure(406, 'NotAcceptable', `schemas are served under /openapi/v3; here only ${OPENAPI_V2}`);
  }
  if (format !== 'v3') return noSuchPath();
  if (rest.length === 0) return ok({ paths: Object.fromEntries(apiVersions().map(tableEntry)) });
  const apiVersion = apiVersions().find((each) => rootOf(each) === rest.join('/'));
  return apiVersion === undefined ? noSuchPath() : ok(documentOf(apiVersion));
}

function apiVersions(): readonly string[] {
  return [...new Set(SERVED_KINDS.map(({ apiVersion }) => apiVersion))];
}

function tableEntry(apiVersion: string): readonly [string, object] {
  return [rootOf(apiVersion), { serverRelativeURL: `/openapi/v3/${rootOf(apiVersion)}` }];
}

function rootOf(apiVersion: string): string {
  return apiVersion.includes('/') ? `apis/${apiVersion}` : `api/${apiVersion}`;
}

/** Made when first asked for; the schemas never change. */
const documentOf = perKey((apiVersion: string): object => {
  const kinds = SERVED_KINDS.filter((kind) => kind.apiVersion === apiVersion);
  return {
    openapi: '3.0.0',
    info: { title: 'refproxy', version: apiVersion },
    paths: Object.fromEntries(kinds.flatMap(pathsOf)),
    components: { schemas: Object.fromEntries(kinds.map((kind) => [schemaName(kind), schemaOf(kind)])) },
  };
});

/** Labels of the namespace do not matter to clients that look for one kind; only the methods and their options do. */
function pathsOf(kind: ServedKind): (readonly [string, object])[] {
  const scope = kind.namespaced ? '/namespaces/{namespace}' : '';
  const collection = `/${rootOf(kind.apiVersion)}${scope}/${kind.plural}`;
  const places = kind.namespaced ? [parameter('namespace', 'path')] : [];
  return [
    [
      collection,
      {
        parameters: places,
        get: operation(kind, 'list', [
          'labelSelector',
          'fieldSelector',
          'watch',
          'resourceVersion',
          'limit',
          'continue',
        ]),
        post: operation(kind, 'post', ['dryRun', 'fieldManager', 'fieldValidation'], BODY_TYPES),
      },
    ],
    [
      `${collection}/{name}`,
      {
        parameters: [...places, parameter('name', 'path')],
        get: operation(kind, 'get', []),
        put: operation(kind, 'put', ['dryRun', 'fieldManager', 'fieldValidation'], BODY_TYPES),
        patch: operation(kind, 'patch', ['dryRun', 'fieldManager', 'fieldValidation', 'force'], PATCH_TYPES),
        delete: operation(kind, 'delete', ['dryRun']),
      },
    ],
  ];
}

const BODY_TYPES: readonly string[] = ['application/json', 'application/yaml'];
const PATCH_TYPES: readonly string[] = [
  'application/apply-patch+yaml',
  'application/json-patch+json',
  'application/merge-patch+json',
];

function operation(
  kind: ServedKind,
  action: string,
  query: readonly string[],
  bodyTypes: readonly string[] = [],
): Fields {
  const { group, version, name } = kind;
  const schema = { $ref: `#/components/schemas/${schemaName(kind)}` };
  const content = (types: readonly string[]): object => Object.fromEntries(types.map((type) => [type, { schema }]));
  return {
    operationId: `${action}${name}`,
    parameters: query.map((each) => parameter(each, 'query')),
    ...(bodyTypes.length === 0 ? {} : { requestBody: { required: true, content: content(bodyTypes) } }),
    responses: { '200': { description: 'OK', content: content(['application/json']) } },
    'x-kubernetes-action': action,
    'x-kubernetes-group-version-kind': { group, version, kind: name },
  };
}

function parameter(name: string, place: 'path' | 'query'): object {
  return {
    name,
    in: place,
    schema: { type: 'string', uniqueItems: true },
    ...(place === 'path' ? { required: true } : {}),
  };
}

/** `example.proxy.v1alpha1.ProxyPolicy`. */
function schemaName({ group, version, name }: ServedKind): string {
  return [...group.split('.').filter(Boolean).toReversed(), version, name].join('.');
}
