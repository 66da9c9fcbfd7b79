import { z } from 'zod';
import { rule } from '../../groups.ts';
import { described, noted } from '../../notes.ts';
import { json, listOf, shortString } from '../../scalars.ts';
import { jwks } from './jwks.ts';
import { authorizationExtractionLocation, BEARER } from './location.ts';

/** Identity providers MCP authentication knows. */
export const mcpIdentityProvider = noted(z.enum(['Idp1', 'Idp2', 'Idp3', 'Idp4', 'Idp5', 'Idp6']), {
  clause: 'ADMIT-170',
});

/** An issuer of tokens and its keys; without `audiences` any audience will do (ADMIT-115, JWT-007). */
const provider = noted(
  described(
    z.strictObject({
      issuer: shortString,
      audiences: noted(listOf(z.string(), 1, 64), { clause: 'LIMIT-038' }).exactOptional(),
      jwks,
    }),
    {
      issuer: 'Value of iss.',
      audiences: '1 to 64 values of which aud must have one; any when absent.',
      jwks: 'Keys of the issuer.',
    },
    'An issuer of tokens.',
  ),
  { requires: 'ADMIT-115' },
);

/** Serves the discovery endpoints of MCP; `clientId` stands in for dynamic client registration. */
const mcp = described(
  z.strictObject({
    resourceMetadata: z.record(z.string(), json).exactOptional(),
    provider: mcpIdentityProvider.exactOptional(),
    clientId: z.string().exactOptional(),
  }),
  {
    resourceMetadata: 'Members of the protected resource metadata.',
    provider: 'Identity provider whose ways are known.',
    clientId: 'Client id that stands in for dynamic registration.',
  },
);

const members = noted(
  described(
    z.strictObject({
      mode: noted(z.enum(['Strict', 'Optional', 'Permissive']), {
        default: 'Strict',
        clause: 'ADMIT-169',
      }).exactOptional(),
      providers: noted(listOf(provider, 1, 64), { clause: 'ADMIT-116' }),
      location: noted(authorizationExtractionLocation, { default: BEARER }).exactOptional(),
      mcp: mcp.exactOptional(),
    }),
    {
      mode: 'What happens without a token, or with a wrong one.',
      providers: '1 to 64 issuers.',
      location: 'Where the token stands.',
      mcp: 'Serves the discovery endpoints of MCP.',
    },
    'Tokens clients show.',
  ),
  { requires: 'ADMIT-116' },
);

/** Tokens clients show. With `mcp` there is one provider and mode is Strict (JWT-001, JWT-017). */
export const jwtAuthentication = rule(
  rule(
    members,
    'VERSION-008',
    (jwt) => jwt['mcp'] === undefined || !Array.isArray(jwt['providers']) || jwt['providers'].length === 1,
    'mcp needs exactly one provider',
    '!has(self.mcp) || self.providers.size() == 1',
  ),
  'VERSION-008',
  (jwt) => jwt['mcp'] === undefined || (jwt['mode'] ?? 'Strict') === 'Strict',
  'mcp needs mode Strict',
  "!has(self.mcp) || !has(self.mode) || self.mode == 'Strict'",
);

export type JWTAuthentication = z.infer<typeof jwtAuthentication>;
export type JWTProvider = z.infer<typeof provider>;
