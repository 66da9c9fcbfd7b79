import { z } from 'zod';
import { atMostOne, isFields, rule } from '../../groups.ts';
import { noted } from '../../notes.ts';
import { backendObjectReference } from '../../references.ts';
import { byteSize, celExpression, listOf, mapOf, shortString } from '../../scalars.ts';
import { orConditional } from './conditional.ts';
import { failureMode } from './failure-mode.ts';

/** Extra members of the request to the server; up to 64 of each (LIMIT-020). */
const grpc = z.strictObject({
  contextExtensions: noted(mapOf(z.string(), 0, 64), { clause: 'LIMIT-020' }).exactOptional(),
  requestMetadata: noted(mapOf(celExpression, 0, 64), { clause: 'LIMIT-020' }).exactOptional(),
});

/** The request to the server; what of the answer reaches the backend (EXTAUTH-010, EXTAUTH-014). */
const http = z.strictObject({
  path: noted(celExpression, { defaultText: 'the path of the request' }).exactOptional(),
  redirect: celExpression.exactOptional(),
  body: celExpression.exactOptional(),
  allowedRequestHeaders: noted(listOf(shortString, 0, 64), { default: ['Authorization'] }).exactOptional(),
  addRequestHeaders: noted(mapOf(celExpression, 0, 64), { clause: 'LIMIT-020' }).exactOptional(),
  allowedResponseHeaders: listOf(shortString, 0, 64).exactOptional(),
  responseMetadata: noted(mapOf(celExpression, 0, 64), { clause: 'LIMIT-020' }).exactOptional(),
});

/** Decisions kept by key; every key expression must succeed (ADMIT-122, EXTAUTH-037). */
const cache = noted(
  z.strictObject({
    key: noted(listOf(celExpression, 1, 16), { clause: 'ADMIT-122' }),
    /** A literal duration or an expression. */
    ttl: celExpression,
    maxEntries: noted(z.number().int().min(1), { default: 10_000, clause: 'ADMIT-122' }).exactOptional(),
  }),
  { requires: 'ADMIT-122' },
);

const members = atMostOne(
  z.strictObject({
    /** Required, by choices 7.3: without a server there is nobody to ask. */
    backendRef: backendObjectReference,
    failureMode: noted(failureMode, { default: 'FailClosed' }).exactOptional(),
    grpc: grpc.exactOptional(),
    http: http.exactOptional(),
    forwardBody: noted(z.strictObject({ maxSize: byteSize }), { requires: 'ADMIT-121' }).exactOptional(),
    cache: cache.exactOptional(),
  }),
  'ADMIT-153',
  'grpc',
  'http',
);

/** Asks a Service or ProxyBackend whether the request may pass, over gRPC or HTTP (EXTAUTH-001, EXTAUTH-002). */
export const extAuth = rule(
  members,
  'VERSION-008',
  (auth) => auth['forwardBody'] === undefined || !isFields(auth['http']) || auth['http']['body'] === undefined,
  'forwardBody and http.body exclude each other',
  '!has(self.forwardBody) || !has(self.http) || !has(self.http.body)',
);

export const extAuthOrConditional = orConditional(extAuth);

export type ExtAuth = z.infer<typeof extAuth>;
export type ExtAuthGRPC = z.infer<typeof grpc>;
export type ExtAuthHTTP = z.infer<typeof http>;
export type ExtAuthCache = z.infer<typeof cache>;
export type ExtAuthOrConditional = z.infer<typeof extAuthOrConditional>;
