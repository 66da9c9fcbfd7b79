import { z } from 'zod';
import { json, listOf, shortString } from '../../scalars.ts';
import { jwks } from './jwks.ts';
import { authorizationExtractionLocation } from './location.ts';

/** Identity providers MCP authentication knows. */
export const mcpIdentityProvider = z.enum(['Idp1', 'Idp2', 'Idp3', 'Idp4', 'Idp5', 'Idp6']);

const provider = z.strictObject({
  issuer: shortString,
  audiences: listOf(z.string(), 1, 64).exactOptional(),
  jwks,
});

const mcp = z.strictObject({
  resourceMetadata: z.record(z.string(), json).exactOptional(),
  provider: mcpIdentityProvider.exactOptional(),
  clientId: z.string().exactOptional(),
});

export const jwtAuthentication = z.strictObject({
  mode: z.enum(['Strict', 'Optional', 'Permissive']).exactOptional(),
  providers: listOf(provider, 1, 64),
  location: authorizationExtractionLocation.exactOptional(),
  mcp: mcp.exactOptional(),
});

export type JWTAuthentication = z.infer<typeof jwtAuthentication>;
export type JWTProvider = z.infer<typeof provider>;
