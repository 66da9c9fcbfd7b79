import type { RouteType } from '../../../resources/proxy-policy/fields/ai/backend-ai.ts';

/**
 * The paths at which a listener with models serves them, and what is spoken there. Routes of the listener do not get
 * requests to these (docs/decisions/models.md).
 */
const SERVED_PATHS: Readonly<Record<string, RouteType>> = {
  '/v1/messages/count_tokens': 'Vendor4TokenCount',
  '/v1/chat/completions': 'Completions',
  '/v1/messages': 'Messages',
  '/v1/responses': 'Responses',
  '/v1/responses/compact': 'Detect',
  '/v1/images/generations': 'Detect',
  '/v1/images/edits': 'Detect',
  '/v1/images/variations': 'Detect',
  '/v1/embeddings': 'Embeddings',
  '/v1/rerank': 'Rerank',
  '/v2/rerank': 'Rerank',
};

/** Where the list of the models is (MODEL-012); so is everything below. */
const DISCOVERY = ['/v1/models', '/models'];

/** Paths of the platform of cloud C name the model themselves. */
const NAMED_IN_PATH = /^\/.*\/publishers\/[^/]+\/models\/[^/:]+:(?:rawPredict|streamRawPredict)$/;

/** Whether requests to this path are for models. */
export function isServed(path: string): boolean {
  return Object.hasOwn(SERVED_PATHS, path) || isDiscovery(path) || NAMED_IN_PATH.test(path);
}

export function isDiscovery(path: string): boolean {
  return DISCOVERY.some((root) => path === root || path.startsWith(`${root}/`));
}

/** What a request to a model speaks. A path that a policy changed is judged by its end. */
export function typeAt(path: string): RouteType {
  const known = Object.entries(SERVED_PATHS).find(([served]) => path.endsWith(served));
  if (known !== undefined) return known[1];
  return NAMED_IN_PATH.test(path) ? 'Messages' : 'Passthrough';
}
