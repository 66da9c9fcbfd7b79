import { z } from 'zod';
import { atMostOne } from '../../groups.ts';
import { backendObjectReference } from '../../references.ts';
import { byteSize, celExpression, listOf, mapOf, shortString } from '../../scalars.ts';
import { orConditional } from './conditional.ts';
import { failureMode } from './failure-mode.ts';

const grpc = z.strictObject({
  contextExtensions: mapOf(z.string(), 0, 64).exactOptional(),
  requestMetadata: mapOf(celExpression, 0, 64).exactOptional(),
});

const http = z.strictObject({
  path: celExpression.exactOptional(),
  redirect: celExpression.exactOptional(),
  body: celExpression.exactOptional(),
  allowedRequestHeaders: listOf(shortString, 0, 64).exactOptional(),
  addRequestHeaders: mapOf(celExpression, 0, 64).exactOptional(),
  allowedResponseHeaders: listOf(shortString, 0, 64).exactOptional(),
  responseMetadata: mapOf(celExpression, 0, 64).exactOptional(),
});

const cache = z.strictObject({
  key: listOf(celExpression, 1, 16),
  /** A literal duration or an expression. */
  ttl: celExpression,
  maxEntries: z.number().int().min(1).exactOptional(),
});

export const extAuth = atMostOne(
  z.strictObject({
    backendRef: backendObjectReference.exactOptional(),
    failureMode: failureMode.exactOptional(),
    grpc: grpc.exactOptional(),
    http: http.exactOptional(),
    forwardBody: z.strictObject({ maxSize: byteSize }).exactOptional(),
    cache: cache.exactOptional(),
  }),
  'ADMIT-153',
  'grpc',
  'http',
);

export const extAuthOrConditional = orConditional(extAuth);

export type ExtAuth = z.infer<typeof extAuth>;
export type ExtAuthGRPC = z.infer<typeof grpc>;
export type ExtAuthHTTP = z.infer<typeof http>;
export type ExtAuthCache = z.infer<typeof cache>;
export type ExtAuthOrConditional = z.infer<typeof extAuthOrConditional>;
