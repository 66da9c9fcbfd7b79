import { z } from 'zod';
import { atMostOne, isFields, rule } from '../../groups.ts';
import { described, noted } from '../../notes.ts';
import { backendObjectReference } from '../../references.ts';
import { byteSize, celExpression, celExpressionOrDuration, listOf, mapOf, shortString } from '../../scalars.ts';
import { orConditional } from './conditional.ts';
import { failureMode } from './failure-mode.ts';

/** Extra members of the request to the server; up to 64 of each (LIMIT-020). */
const grpc = described(
  z.strictObject({
    contextExtensions: noted(mapOf(z.string(), 0, 64), { clause: 'LIMIT-020' }).exactOptional(),
    requestMetadata: noted(mapOf(celExpression, 0, 64), { clause: 'LIMIT-020' }).exactOptional(),
  }),
  {
    contextExtensions: 'Texts sent along, up to 64.',
    requestMetadata: 'Metadata sent along, by expression, up to 64.',
  },
);

/** The request to the server; what of the answer reaches the backend (EXTAUTH-010, EXTAUTH-014). */
const http = described(
  z.strictObject({
    path: noted(celExpression, { defaultText: 'the path of the request' }).exactOptional(),
    redirect: celExpression.exactOptional(),
    body: celExpression.exactOptional(),
    allowedRequestHeaders: noted(listOf(shortString, 0, 64), { default: ['Authorization'] }).exactOptional(),
    addRequestHeaders: noted(mapOf(celExpression, 0, 64), { clause: 'LIMIT-020' }).exactOptional(),
    allowedResponseHeaders: listOf(shortString, 0, 64).exactOptional(),
    responseMetadata: noted(mapOf(celExpression, 0, 64), { clause: 'LIMIT-020' }).exactOptional(),
  }),
  {
    path: 'CEL that gives the path of the call.',
    redirect: 'CEL that gives where an unauthorized client is sent.',
    body: 'CEL that gives the body of the call.',
    allowedRequestHeaders: 'Headers of the request that go along, up to 64.',
    addRequestHeaders: 'More headers of the call, by expression, up to 64.',
    allowedResponseHeaders: 'Headers of the answer that reach the backend, up to 64.',
    responseMetadata: 'Metadata taken from the answer, by expression, up to 64.',
  },
);

/** Decisions kept by key; every key expression must succeed (ADMIT-122, EXTAUTH-037). */
const cache = noted(
  described(
    z.strictObject({
      key: noted(listOf(celExpression, 1, 16), { clause: 'ADMIT-122' }),
      /** A literal duration or an expression. */
      ttl: celExpressionOrDuration,
      maxEntries: noted(z.number().int().min(1), { default: 10_000, clause: 'ADMIT-122' }).exactOptional(),
    }),
    {
      key: '1 to 16 expressions that make the key; all must succeed.',
      ttl: 'How long a decision is kept: a duration or CEL.',
      maxEntries: 'Most decisions kept.',
    },
  ),
  { requires: 'ADMIT-122' },
);

const members = atMostOne(
  described(
    z.strictObject({
      /** Required: without a server there is nobody to ask. */
      backendRef: backendObjectReference,
      failureMode: noted(failureMode, { default: 'FailClosed' }).exactOptional(),
      grpc: grpc.exactOptional(),
      http: http.exactOptional(),
      forwardBody: noted(described(z.strictObject({ maxSize: byteSize }), { maxSize: 'Largest body sent along.' }), {
        requires: 'ADMIT-121',
      }).exactOptional(),
      cache: cache.exactOptional(),
    }),
    {
      backendRef: 'Service or ProxyBackend to ask.',
      failureMode: 'What happens when the server fails.',
      grpc: 'Asks over gRPC; so does neither grpc nor http.',
      http: 'Asks over HTTP.',
      forwardBody: 'Sends the body of the request along.',
      cache: 'Keeps decisions.',
    },
    'Asks a server whether the request may pass.',
  ),
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
