import { z } from 'zod';
import { type Fields, rule } from '../../../groups.ts';
import { backendObjectReference, localSecretKeyRef } from '../../../references.ts';
import { celExpression, duration, json, listOf, mapOf, shortString } from '../../../scalars.ts';
import { authorizationExtractionLocation, authorizationLocation } from '../location.ts';

const signingAlgorithm = z.enum(['RS256', 'RS384', 'RS512', 'PS256', 'ES256', 'ES384']);
const tokenTypes = ['AccessToken', 'Jwt', 'IdToken', 'IdJag'] as const;

/** A named type or an absolute URI; empty means AccessToken (ADMIT-137). */
const tokenType = z
  .string()
  .refine(
    (type) => type === '' || tokenTypes.some((known) => known === type) || /^[a-zA-Z][a-zA-Z0-9+.-]*:\S+$/.test(type),
    `must be ${tokenTypes.join(', ')} or an absolute URI`,
  );

const tokenPath = z.string().startsWith('/');

const privateKeyJwt = rule(
  rule(
    z.strictObject({
      signingKeyRef: localSecretKeyRef,
      certificateRef: localSecretKeyRef.exactOptional(),
      certificateHeader: z.enum(['x5c', 'x5t#S256']).exactOptional(),
      alg: signingAlgorithm.exactOptional(),
      kid: z.string().exactOptional(),
      assertionAudience: z.string().min(1),
    }),
    'ADMIT-145',
    (jwt) => jwt['certificateHeader'] === undefined || jwt['certificateRef'] !== undefined,
    'certificateHeader needs certificateRef',
  ),
  'ADMIT-146',
  (jwt) => jwt['certificateRef'] === undefined || jwt['certificateHeader'] !== undefined,
  'certificateRef needs certificateHeader',
);

const methodOf = (auth: Fields): unknown => auth['method'] ?? 'ClientSecretBasic';

const oauthClientAuth = rule(
  rule(
    z.strictObject({
      clientId: z.string().min(1),
      secretRef: localSecretKeyRef.exactOptional(),
      privateKeyJwt: privateKeyJwt.exactOptional(),
      method: z.enum(['ClientSecretBasic', 'ClientSecretPost', 'PrivateKeyJwt']).exactOptional(),
    }),
    'ADMIT-143',
    (auth) => methodOf(auth) !== 'ClientSecretBasic' || auth['secretRef'] !== undefined,
    'secretRef may be left out only with method ClientSecretPost or PrivateKeyJwt',
  ),
  'ADMIT-144',
  (auth) => methodOf(auth) !== 'PrivateKeyJwt' || auth['privateKeyJwt'] !== undefined,
  'method PrivateKeyJwt needs privateKeyJwt',
);

const tokenCache = z.strictObject({
  inMemory: z
    .strictObject({ maxEntries: z.number().int().min(0).exactOptional(), defaultTtl: duration.exactOptional() })
    .exactOptional(),
});

/** Exchanges the client's token for one the backend accepts (RFC 8693, RFC 7523). */
export const oauthTokenExchange = rule(
  z.strictObject({
    backendRef: backendObjectReference,
    path: tokenPath.exactOptional(),
    grantType: z.enum(['TokenExchange', 'JwtBearer']).exactOptional(),
    subjectToken: z
      .strictObject({ source: authorizationExtractionLocation.exactOptional(), tokenType: tokenType.exactOptional() })
      .exactOptional(),
    actorToken: z
      .strictObject({
        source: authorizationExtractionLocation,
        tokenType: tokenType.exactOptional(),
        mayAct: z.enum(['Required']).exactOptional(),
      })
      .exactOptional(),
    audiences: listOf(shortString, 0, 64).exactOptional(),
    scopes: listOf(z.string(), 0, 64).exactOptional(),
    resources: listOf(z.string(), 0, 64).exactOptional(),
    requestedTokenType: z.enum(tokenTypes).exactOptional(),
    additionalParams: mapOf(celExpression, 0, 64).exactOptional(),
    clientAuth: oauthClientAuth.exactOptional(),
    location: authorizationLocation.exactOptional(),
    cache: tokenCache.exactOptional(),
  }),
  'ADMIT-134',
  (exchange) => exchange['actorToken'] === undefined || exchange['grantType'] !== 'JwtBearer',
  'actorToken is for grantType TokenExchange only',
);

const crossAppAccessEndpoint = z.strictObject({
  backendRef: backendObjectReference,
  path: tokenPath.exactOptional(),
  clientAuth: oauthClientAuth,
});

/** Two exchanges in a row: at the identity provider, then at the resource's authorization server. */
export const crossAppAccess = z.strictObject({
  identityProvider: crossAppAccessEndpoint,
  resourceAuthorizationServer: crossAppAccessEndpoint,
  audience: shortString,
  resources: listOf(z.string(), 1, 64).exactOptional(),
  scopes: listOf(z.string(), 1, 64).exactOptional(),
  subjectToken: z.strictObject({ source: authorizationExtractionLocation.exactOptional() }).exactOptional(),
  cache: tokenCache.exactOptional(),
});

const RESERVED_CLAIMS = ['iat', 'exp', 'nbf'];

/** Signs a short-lived token per request. */
export const jwtSign = z.strictObject({
  signingKeyRef: localSecretKeyRef,
  alg: signingAlgorithm.exactOptional(),
  kid: z.string().exactOptional(),
  claims: rule(
    mapOf(json, 1, Number.MAX_SAFE_INTEGER),
    'ADMIT-141',
    (claims) => !RESERVED_CLAIMS.some((claim) => Object.hasOwn(claims, claim)),
    `${RESERVED_CLAIMS.join(', ')} are set by the proxy and cannot be given`,
  ),
  ttl: duration.exactOptional(),
  location: authorizationLocation.exactOptional(),
});

export type OAuthClientAuth = z.infer<typeof oauthClientAuth>;
export type OAuthTokenExchange = z.infer<typeof oauthTokenExchange>;
export type CrossAppAccess = z.infer<typeof crossAppAccess>;
export type JWTSign = z.infer<typeof jwtSign>;
