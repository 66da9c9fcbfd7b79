import { z } from 'zod';
import { rule } from '../../../groups.ts';
import { described, noted } from '../../../notes.ts';
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
const tokenCache = described(
  z.strictObject({
    inMemory: described(
      z.strictObject({
        maxEntries: noted(z.number().int().min(0), { default: 8192, clause: 'LIMIT-048' }).exactOptional(),
        defaultTtl: noted(duration, { default: '300s' }).exactOptional(),
      }),
      {
        maxEntries: 'Most tokens kept; 0 keeps none.',
        defaultTtl: 'How long a token is kept that does not say when it ends.',
      },
    ).exactOptional(),
  }),
  { inMemory: 'Kept in this instance.' },
);

/** Exchanges the client's token for one the backend accepts (RFC 8693, RFC 7523). */
export const oauthTokenExchange = rule(
  noted(
    described(
      z.strictObject({
        backendRef: backendObjectReference,
        path: tokenPath.exactOptional(),
        grantType: noted(z.enum(['TokenExchange', 'JwtBearer']), { default: 'TokenExchange' }).exactOptional(),
        subjectToken: described(
          z.strictObject({
            source: noted(authorizationExtractionLocation, { default: BEARER }).exactOptional(),
            tokenType: tokenType.exactOptional(),
          }),
          { source: 'Where it stands.', tokenType: 'Its type.' },
        ).exactOptional(),
        actorToken: noted(
          described(
            z.strictObject({
              source: authorizationExtractionLocation,
              tokenType: tokenType.exactOptional(),
              mayAct: z.enum(['Required']).exactOptional(),
            }),
            {
              source: 'Where it stands.',
              tokenType: 'Its type.',
              mayAct: 'Required: the subject must allow the actor.',
            },
          ),
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
      {
        backendRef: 'Service or ProxyBackend to ask.',
        path: 'Path of the endpoint; begins with /.',
        grantType: 'Grant that is asked for.',
        subjectToken: 'The token to exchange.',
        actorToken: 'The token of who acts; for grant TokenExchange.',
        audiences: 'Audiences to ask for, up to 64.',
        scopes: 'Scopes to ask for, up to 64.',
        resources: 'Resources to ask for, up to 64.',
        requestedTokenType: 'Type of the token to ask for.',
        additionalParams: 'More parameters, by expression, up to 64.',
        clientAuth: 'How the proxy names itself to the endpoint.',
        location: 'Where the new token is put.',
        cache: 'How tokens are kept.',
      },
    ),
    { requires: 'ADMIT-133' },
  ),
  'ADMIT-134',
  (exchange) => exchange['actorToken'] === undefined || exchange['grantType'] !== 'JwtBearer',
  'actorToken is for grantType TokenExchange only',
  "!has(self.actorToken) || !has(self.grantType) || self.grantType != 'JwtBearer'",
);

/** A token endpoint (ADMIT-139). */
const crossAppAccessEndpoint = noted(
  described(
    z.strictObject({
      backendRef: backendObjectReference,
      path: tokenPath.exactOptional(),
      clientAuth: oauthClientAuth,
    }),
    {
      backendRef: 'Service or ProxyBackend to ask.',
      path: 'Path of the endpoint; begins with /.',
      clientAuth: 'How the proxy names itself to the endpoint.',
    },
  ),
  { requires: 'ADMIT-139' },
);

/** Two exchanges in a row: at the identity provider, then at the resource's authorization server. */
export const crossAppAccess = noted(
  described(
    z.strictObject({
      identityProvider: crossAppAccessEndpoint,
      resourceAuthorizationServer: crossAppAccessEndpoint,
      audience: shortString,
      resources: noted(listOf(z.string(), 1, 64), { clause: 'LIMIT-044' }).exactOptional(),
      scopes: noted(listOf(z.string(), 1, 64), { clause: 'LIMIT-044' }).exactOptional(),
      subjectToken: described(
        z.strictObject({ source: noted(authorizationExtractionLocation, { default: BEARER }).exactOptional() }),
        { source: 'Where it stands.' },
      ).exactOptional(),
      cache: tokenCache.exactOptional(),
    }),
    {
      identityProvider: 'Endpoint asked first, with the token of the client.',
      resourceAuthorizationServer: 'Endpoint asked next, with what the first one gave.',
      audience: 'Audience to ask the identity provider for.',
      resources: 'Resources to ask for, 1 to 64.',
      scopes: 'Scopes to ask for, 1 to 64.',
      subjectToken: 'The token of the client.',
      cache: 'How tokens are kept.',
    },
  ),
  { requires: 'ADMIT-138' },
);

export type OAuthTokenExchange = z.infer<typeof oauthTokenExchange>;
export type CrossAppAccess = z.infer<typeof crossAppAccess>;
