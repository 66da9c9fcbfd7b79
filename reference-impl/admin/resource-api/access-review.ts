import { type Fields, isFields } from '../../resources/groups.ts';
import type { JsonAnswer } from './answer.ts';
import { readBody, readObject } from './body.ts';
import type { Handler } from './call.ts';
import { badRequest } from './status-errors.ts';

/** Where clients ask what they may do. */
export const ACCESS_REVIEWS = {
  group: 'authorization.k8s.io',
  version: 'v1',
  apiVersion: 'authorization.k8s.io/v1',
  plural: 'selfsubjectaccessreviews',
  name: 'SelfSubjectAccessReview',
} as const;

/**
 * Tells a client whether it may do something, as `kubectl auth can-i` asks. Whoever reaches the admin listener may do
 * everything but write what is computed. Nothing is kept. docs/decisions/resource-api.md
 */
export const reviewAccess: Handler<unknown> = async ({ request }) => {
  const read = await readBody(request);
  if (!read.ok) return read.answer;
  const parsed = readObject(read.body);
  if (!parsed.ok) return parsed.answer;
  const { kind = ACCESS_REVIEWS.name, metadata = {}, spec } = parsed.value;
  if (kind !== ACCESS_REVIEWS.name) return badRequest(`the object must be of kind ${ACCESS_REVIEWS.name}`);
  const asked = isFields(spec) ? (spec['resourceAttributes'] ?? spec['nonResourceAttributes']) : undefined;
  if (!isFields(asked)) return badRequest('spec: resourceAttributes or nonResourceAttributes is required');
  return reviewed(metadata, spec, asked);
};

function reviewed(metadata: unknown, spec: unknown, asked: Fields): JsonAnswer {
  const computed = asked['subresource'] === 'status' && asked['verb'] !== 'get';
  const status = computed
    ? { allowed: false, denied: true, reason: 'status is computed and cannot be written' }
    : { allowed: true, reason: 'whoever reaches the admin listener may do everything' };
  const { apiVersion, name: kind } = ACCESS_REVIEWS;
  return { code: 201, body: { kind, apiVersion, metadata, spec, status } };
}
