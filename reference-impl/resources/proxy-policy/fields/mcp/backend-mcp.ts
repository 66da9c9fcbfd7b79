import { z } from 'zod';
import { backendObjectReference, localSecretKeyRef } from '../../../references.ts';
import { celExpression, headerName, json, listOf, mapOf, shortString } from '../../../scalars.ts';
import { authorization } from '../authorization.ts';
import { failureMode } from '../failure-mode.ts';
import { remoteJwks } from '../jwks.ts';
import { mcpIdentityProvider } from '../jwt-authentication.ts';

/** Deprecated in favour of traffic.jwtAuthentication.mcp; still accepted (VERSION-004). */
const mcpAuthentication = z.strictObject({
  resourceMetadata: z.record(z.string(), json).exactOptional(),
  provider: mcpIdentityProvider.exactOptional(),
  issuer: shortString.exactOptional(),
  audiences: listOf(z.string(), 1, 64).exactOptional(),
  jwks: remoteJwks,
  mode: z.enum(['Strict', 'Optional', 'Permissive']).exactOptional(),
  clientId: z.string().exactOptional(),
  clientSecretRef: localSecretKeyRef.exactOptional(),
});

const remote = z.strictObject({
  backendRef: backendObjectReference,
  failureMode: failureMode.exactOptional(),
  metadata: mapOf(celExpression, 0, 64).exactOptional(),
  allowedRequestHeaders: listOf(headerName, 0, 64).exactOptional(),
  disallowedRequestHeaders: listOf(headerName, 0, 64).exactOptional(),
});

/** Exact method name, `prefix/*`, `*` + `/suffix`, or `*`. */
const METHOD_PATTERN = /^(\*|[^*]+|[^*]+\/\*|\*\/[^*]+)$/;

const methods = mapOf(z.enum(['Off', 'Request', 'Response', 'Full']), 1, 64).refine(
  (map) => Object.keys(map).every((method) => METHOD_PATTERN.test(method)),
  'a method must be an exact name, *, or have one * as its first or last part',
);

const mcpGuardrails = z.strictObject({
  processors: listOf(
    z.strictObject({ remote: remote.exactOptional(), methods: methods.exactOptional() }),
    1,
    16,
  ).exactOptional(),
});

export const backendMcp = z.strictObject({
  authorization: authorization.exactOptional(),
  authentication: mcpAuthentication.exactOptional(),
  guardrails: mcpGuardrails.exactOptional(),
});

export type BackendMCP = z.infer<typeof backendMcp>;
export type MCPAuthentication = z.infer<typeof mcpAuthentication>;
export type MCPGuardrails = z.infer<typeof mcpGuardrails>;
