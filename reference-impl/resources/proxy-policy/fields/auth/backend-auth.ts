import { z } from 'zod';
import { atMostOne, exactlyOne, type Fields, rule } from '../../../groups.ts';
import { localSecretKeyRef } from '../../../references.ts';
import { listOf } from '../../../scalars.ts';
import { authorizationLocation } from '../location.ts';
import { cloudAAuth, cloudBAuth, cloudCAuth } from './cloud.ts';
import { crossAppAccess, jwtSign, oauthTokenExchange } from './oauth.ts';

const key = z.string().max(2048);

const common = {
  key: key.exactOptional(),
  secretRef: localSecretKeyRef.exactOptional(),
  passthrough: z.strictObject({}).exactOptional(),
  cloudA: cloudAAuth.exactOptional(),
  cloudB: cloudBAuth.exactOptional(),
  cloudC: cloudCAuth.exactOptional(),
  oauthTokenExchange: oauthTokenExchange.exactOptional(),
  location: authorizationLocation.exactOptional(),
  /** Independent of the primary mechanism (ADMIT-124). */
  credentials: listOf(
    z.strictObject({ location: authorizationLocation, secretRef: localSecretKeyRef }),
    1,
    8,
  ).exactOptional(),
};

const MODEL_MECHANISMS = ['key', 'secretRef', 'passthrough', 'cloudA', 'cloudB', 'cloudC', 'oauthTokenExchange'];
/** These bring a location of their own. */
const WITH_OWN_LOCATION = ['cloudA', 'cloudB', 'cloudC', 'oauthTokenExchange', 'crossAppAccess', 'jwtSign'];
const MECHANISMS = [...MODEL_MECHANISMS, 'crossAppAccess', 'jwtSign'];

/** How the proxy identifies itself to the backend. */
export const backendAuth = locationHasMeaning(
  atMostOne(
    z.strictObject({ ...common, crossAppAccess: crossAppAccess.exactOptional(), jwtSign: jwtSign.exactOptional() }),
    'ADMIT-123',
    ...MECHANISMS,
  ),
);

/** The same for models, without crossAppAccess and jwtSign (ADMIT-149). */
export const modelBackendAuth = locationHasMeaning(atMostOne(z.strictObject(common), 'ADMIT-123', ...MODEL_MECHANISMS));

const moderationShape = {
  key: key.exactOptional(),
  secretRef: localSecretKeyRef.exactOptional(),
  location: authorizationLocation.exactOptional(),
};

export const moderationAuth = exactlyOne(z.strictObject(moderationShape), 'ADMIT-150', 'key', 'secretRef');

export const guardrailsAuth = exactlyOne(
  z.strictObject({ ...moderationShape, cloudA: cloudAAuth.exactOptional() }),
  'ADMIT-151',
  'key',
  'secretRef',
  'cloudA',
);

export const modelGuardAuth = z.strictObject({ cloudC: cloudCAuth.exactOptional() });

function locationHasMeaning<Schema extends z.ZodType>(schema: Schema): Schema {
  return rule(schema, 'VERSION-008', isLocated, 'location applies to key, secretRef and passthrough only');
}

function isLocated(auth: Fields): boolean {
  return auth['location'] === undefined || WITH_OWN_LOCATION.every((name) => auth[name] === undefined);
}

export type BackendAuth = z.infer<typeof backendAuth>;
export type ModelBackendAuth = z.infer<typeof modelBackendAuth>;
export type ModerationAuth = z.infer<typeof moderationAuth>;
export type GuardrailsAuth = z.infer<typeof guardrailsAuth>;
export type ModelGuardAuth = z.infer<typeof modelGuardAuth>;
