import { z } from 'zod';
import { rule } from '../../../groups.ts';
import { noted } from '../../../notes.ts';
import { backendObjectReference } from '../../../references.ts';
import { celExpression, duration, listOf, mapOf, shortString } from '../../../scalars.ts';
import { authorizationExtractionLocation, authorizationLocation, BEARER } from '../location.ts';
import { oauthClientAuth } from './oauth-client-auth.ts';

const tokenTypes = ['AccessToken', 'Jwt', 'IdToken', 'IdJag'] as const;

/** A named type or an absolute URI; empty means AccessToken (ADMIT-137). */
const tokenType = noted(
  z
    .string()
    .regex(
      /^(|AccessToken|Jwt|IdToken|IdJag|[a-zA-Z][a-zA-Z0-9+.-]*:\S+)$/,
      `must be ${tokenTypes.join(', ')} or an absolute URI`,
    ),
  { default: 'AccessToken', clause: 'ADMIT-137' },
);

const tokenPath = noted(z.string().startsWith('/'), { default: '/', clause: 'ADMIT-110' });

/** Tokens kept in this instance; 0 entries keep none (OAUTH-029, OAUTH-031, LIMIT-048). */
const tokenCache = z.strictObject({
  inMemory: z
    .strictObject({
      maxEntries: noted(z.number().int().min(0), { default: 8192, clause: 'LIMIT-048' }).exactOptional(),
      defaultTtl: noted(duration, { default: '300s' }).exactOptional(),
    })
    .exactOptional(),
});

/** Exchanges the client's token for one the backend accepts (RFC 8693, RFC 7523). */
export const oauthTokenExchange = rule(
  noted(
    z.strictObject({
      backendRef: backendObjectReference,
      path: tokenPath.exactOptional(),
      grantType: noted(z.enum(['TokenExchange', 'JwtBearer']), { default: 'TokenExchange' }).exactOptional(),
      subjectToken: z
        .strictObject({
          source: noted(authorizationExtractionLocation, { default: BEARER }).exactOptional(),
          tokenType: tokenType.exactOptional(),
        })
        .exactOptional(),
      actorToken: noted(
        z.strictObject({
          source: authorizationExtractionLocation,
          tokenType: tokenType.exactOptional(),
          mayAct: z.enum(['Required']).exactOptional(),
        }),
        { requires: 'ADMIT-135' },
      ).exactOptional(),
      audiences: noted(listOf(shortString, 0, 64), { clause: 'LIMIT-043' }).exactOptional(),
      scopes: noted(listOf(z.string(), 0, 64), { clause: 'LIMIT-043' }).exactOptional(),
      resources: noted(listOf(z.string(), 0, 64), { clause: 'LIMIT-043' }).exactOptional(),
      requestedTokenType: noted(z.enum(tokenTypes), { clause: 'ADMIT-136' }).exactOptional(),
      additionalParams: noted(mapOf(celExpression, 0, 64), { clause: 'LIMIT-043' }).exactOptional(),
      clientAuth: oauthClientAuth.exactOptional(),
      location: noted(authorizationLocation, { default: BEARER }).exactOptional(),
      cache: tokenCache.exactOptional(),
    }),
    { requires: 'ADMIT-133' },
  ),
  'ADMIT-134',
  (exchange) => exchange['actorToken'] === undefined || exchange['grantType'] !== 'JwtBearer',
  'actorToken is for grantType TokenExchange only',
  "!has(self.actorToken) || !has(self.grantType) || self.grantType != 'JwtBearer'",
);

/** A token endpoint (ADMIT-139). */
const crossAppAccessEndpoint = noted(
  z.strictObject({
    backendRef: backendObjectReference,
    path: tokenPath.exactOptional(),
    clientAuth: oauthClientAuth,
  }),
  { requires: 'ADMIT-139' },
);

/** Two exchanges in a row: at the identity provider, then at the resource's authorization server. */
export const crossAppAccess = noted(
  z.strictObject({
    identityProvider: crossAppAccessEndpoint,
    resourceAuthorizationServer: crossAppAccessEndpoint,
    audience: shortString,
    resources: noted(listOf(z.string(), 1, 64), { clause: 'LIMIT-044' }).exactOptional(),
    scopes: noted(listOf(z.string(), 1, 64), { clause: 'LIMIT-044' }).exactOptional(),
    subjectToken: z
      .strictObject({ source: noted(authorizationExtractionLocation, { default: BEARER }).exactOptional() })
      .exactOptional(),
    cache: tokenCache.exactOptional(),
  }),
  { requires: 'ADMIT-138' },
);

export type OAuthTokenExchange = z.infer<typeof oauthTokenExchange>;
export type CrossAppAccess = z.infer<typeof crossAppAccess>;
