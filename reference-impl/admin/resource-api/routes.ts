import { reviewAccess } from './access-review.ts';
import type { ApiAnswer } from './answer.ts';
import type { ApiCall, Handler } from './call.ts';
import { deleteObject, deleteObjects } from './delete.ts';
import { discoveryDocument } from './discovery.ts';
import { listObjects } from './list.ts';
import { createObject, getObject, replaceObject } from './objects.ts';
import { openApiDocument } from './openapi.ts';
import { patchObject } from './patch/patch.ts';
import type { ApiPath } from './paths.ts';
import { methodNotAllowed } from './status-errors.ts';

/** Every sort of path and the methods it answers; HEAD comes with GET. */
const ROUTES: { readonly [At in ApiPath['at']]: Readonly<Record<string, Handler<Extract<ApiPath, { at: At }>>>> } = {
  document: {
    GET: ({ request }, { steps }) =>
      steps[0] === 'openapi' ? openApiDocument(steps, request.headers.accept) : discoveryDocument(steps),
  },
  collection: { GET: listObjects, POST: createObject, DELETE: deleteObjects },
  object: { GET: getObject, PUT: replaceObject, PATCH: patchObject, DELETE: deleteObject },
  accessReview: { POST: reviewAccess },
  // Computed from the configuration, so nobody can write it.
  status: { GET: getObject },
};

/** Answers one call of the resource API. docs/decisions/resource-api.md */
export function route(call: ApiCall, path: ApiPath): ApiAnswer | Promise<ApiAnswer> {
  switch (path.at) {
    case 'document':
      return answerWith(ROUTES.document, call, path);
    case 'collection':
      return answerWith(ROUTES.collection, call, path);
    case 'object':
      return answerWith(ROUTES.object, call, path);
    case 'accessReview':
      return answerWith(ROUTES.accessReview, call, path);
    case 'status':
    default:
      return answerWith(ROUTES.status, call, path, 'status is computed and cannot be written');
  }
}

function answerWith<Path>(
  methods: Readonly<Record<string, Handler<Path>>>,
  call: ApiCall,
  path: Path,
  why?: string,
): ApiAnswer | Promise<ApiAnswer> {
  const method = call.request.method === 'HEAD' ? 'GET' : (call.request.method ?? '');
  const handler = Object.hasOwn(methods, method) ? methods[method] : undefined;
  return handler === undefined ? methodNotAllowed(Object.keys(methods), why) : handler(call, path);
}
