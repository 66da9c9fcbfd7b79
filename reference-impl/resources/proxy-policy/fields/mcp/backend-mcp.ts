import { z } from 'zod';
import { rule } from '../../../groups.ts';
import { described, noted } from '../../../notes.ts';
import { backendObjectReference, secretKeyRef } from '../../../references.ts';
import { celExpression, headerName, json, listOf, mapOf, shortString } from '../../../scalars.ts';
import { authorization } from '../authorization.ts';
import { failureMode } from '../failure-mode.ts';
import { remoteJwks } from '../jwks.ts';
import { mcpIdentityProvider } from '../jwt-authentication.ts';

/** Deprecated in favour of traffic.jwtAuthentication.mcp; still accepted (VERSION-004). */
const mcpAuthentication = noted(
  described(
    z.strictObject({
      resourceMetadata: z.record(z.string(), json).exactOptional(),
      provider: mcpIdentityProvider.exactOptional(),
      issuer: shortString.exactOptional(),
      audiences: noted(listOf(z.string(), 1, 64), { clause: 'LIMIT-038' }).exactOptional(),
      jwks: remoteJwks,
      mode: noted(z.enum(['Strict', 'Optional', 'Permissive']), {
        default: 'Strict',
        clause: 'ADMIT-169',
      }).exactOptional(),
      clientId: z.string().exactOptional(),
      clientSecretRef: secretKeyRef('clientSecret').exactOptional(),
    }),
    {
      resourceMetadata: 'Members of the protected resource metadata.',
      provider: 'Identity provider whose ways are known.',
      issuer: 'Value of iss.',
      audiences: '1 to 64 values of which aud must have one.',
      jwks: 'Keys of the issuer, fetched from a server.',
      mode: 'What happens without a token, or with a wrong one.',
      clientId: 'Client id that stands in for dynamic registration.',
      clientSecretRef: 'Secret with the client secret.',
    },
  ),
  { requires: 'ADMIT-118', deprecated: 'use traffic.jwtAuthentication.mcp' },
);

/** A policy server over gRPC; a disallowed header stays here even if it is allowed too (ADMIT-109, GUARDMCP-015). */
const remote = noted(
  described(
    z.strictObject({
      backendRef: backendObjectReference,
      failureMode: noted(failureMode, { default: 'FailClosed' }).exactOptional(),
      metadata: noted(mapOf(celExpression, 0, 64), { clause: 'LIMIT-036' }).exactOptional(),
      allowedRequestHeaders: noted(listOf(headerName, 0, 64), { clause: 'LIMIT-036' }).exactOptional(),
      disallowedRequestHeaders: noted(listOf(headerName, 0, 64), { clause: 'LIMIT-036' }).exactOptional(),
    }),
    {
      backendRef: 'Service or ProxyBackend with the policy server.',
      failureMode: 'What happens when the server fails.',
      metadata: 'Metadata sent along, by expression, up to 64.',
      allowedRequestHeaders: 'Headers that go along, up to 64.',
      disallowedRequestHeaders: 'Headers that stay here even if allowed, up to 64.',
    },
  ),
  { requires: 'ADMIT-109' },
);

/** Exact method name, `prefix/*`, `*` + `/suffix`, or `*`. */
const METHOD_PATTERN = /^(\*|[^*]+|[^*]+\/\*|\*\/[^*]+)$/;

const methods = rule(
  noted(mapOf(noted(z.enum(['Off', 'Request', 'Response', 'Full']), { clause: 'ADMIT-108' }), 1, 64), {
    clause: 'LIMIT-018',
  }),
  'ADMIT-153',
  (map) => Object.keys(map).every((method) => METHOD_PATTERN.test(method)),
  'a method must be an exact name, *, or have one * as its first or last part',
  `self.all(method, method.matches(r'${METHOD_PATTERN.source}'))`,
);

/** Policy servers in order; the first that rejects ends the chain. */
const mcpGuardrails = described(
  z.strictObject({
    processors: noted(
      listOf(
        described(
          z.strictObject({ remote: remote.exactOptional(), methods: methods.exactOptional() }),
          {
            remote: 'A server over gRPC.',
            methods: 'Method, or a form with *, to the directions that are checked; 1 to 64.',
          },
          'One policy server.',
        ),
        1,
        16,
      ),
      { clause: 'LIMIT-018' },
    ).exactOptional(),
  }),
  { processors: '1 to 16 policy servers, in order; the first that rejects ends it.' },
);

/** What is done to MCP traffic; for backends of type mcp only. */
export const backendMcp = described(
  z.strictObject({
    authorization: authorization.exactOptional(),
    authentication: mcpAuthentication.exactOptional(),
    guardrails: mcpGuardrails.exactOptional(),
  }),
  {
    authorization: 'Which tools, prompts and resources may be used.',
    authentication: 'Tokens clients show.',
    guardrails: 'Policy servers that see MCP messages.',
  },
);

export type BackendMCP = z.infer<typeof backendMcp>;
export type MCPAuthentication = z.infer<typeof mcpAuthentication>;
export type MCPGuardrails = z.infer<typeof mcpGuardrails>;
