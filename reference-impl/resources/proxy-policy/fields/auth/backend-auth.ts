import { z } from 'zod';
import { atLeastOne, atMostOne, exactlyOne, type Fields, rule } from '../../../groups.ts';
import { described, describedFields, noted } from '../../../notes.ts';
import { secretKeyRef } from '../../../references.ts';
import { listOf } from '../../../scalars.ts';
import { authorizationLocation, BEARER } from '../location.ts';
import { cloudAAuth, cloudBAuth, cloudCAuth } from './cloud.ts';
import { jwtSign } from './jwt-sign.ts';
import { crossAppAccess, oauthTokenExchange } from './oauth.ts';

/** The value of the credential, written here (LIMIT-021). */
const key = noted(z.string().max(2048), { clause: 'LIMIT-021' });
const secretRef = secretKeyRef('Authorization').exactOptional();
/** Adds back the token a client showed and another policy checked. */
const passthrough = z.strictObject({});

/** One more credential, in a place of its own (ADMIT-125). */
const credential = noted(
  described(
    z.strictObject({ location: authorizationLocation, secretRef: secretKeyRef('Authorization') }),
    { location: 'Where it is put.', secretRef: 'Secret with its value.' },
    'One more credential.',
  ),
  { requires: 'ADMIT-125' },
);

const common = describedFields(
  {
    key: key.exactOptional(),
    secretRef,
    passthrough: passthrough.exactOptional(),
    cloudA: cloudAAuth.exactOptional(),
    cloudB: cloudBAuth.exactOptional(),
    cloudC: cloudCAuth.exactOptional(),
    oauthTokenExchange: oauthTokenExchange.exactOptional(),
    location: noted(authorizationLocation, { default: BEARER }).exactOptional(),
    /** Independent of the primary mechanism (ADMIT-124). */
    credentials: noted(listOf(credential, 1, 8), { clause: 'LIMIT-041' }).exactOptional(),
  },
  {
    key: 'The credential itself.',
    secretRef: 'Secret with the credential.',
    passthrough: 'The token of the client, once another policy has checked it.',
    cloudA: 'Signatures of cloud A.',
    cloudB: 'Tokens of cloud B.',
    cloudC: 'Tokens of cloud C.',
    oauthTokenExchange: "The client's token exchanged for another.",
    location: 'Where key, secretRef or passthrough is put.',
    credentials: '1 to 8 more credentials, each with a place of its own.',
  },
);

const MODEL_MECHANISMS = ['key', 'secretRef', 'passthrough', 'cloudA', 'cloudB', 'cloudC', 'oauthTokenExchange'];
/** The mechanisms that put a credential where `location` says; the others bring a place of their own. */
const LOCATED = ['key', 'secretRef', 'passthrough'];
const MECHANISMS = [...MODEL_MECHANISMS, 'crossAppAccess', 'jwtSign'];

/** How the proxy identifies itself to the backend: one mechanism at most, and more credentials (ADMIT-123). */
export const backendAuth = completeAuth(
  atMostOne(
    described(
      z.strictObject({ ...common, crossAppAccess: crossAppAccess.exactOptional(), jwtSign: jwtSign.exactOptional() }),
      {
        crossAppAccess: 'Tokens by way of an identity provider and the authorization server of the resource.',
        jwtSign: 'A token signed for each request.',
      },
    ),
    'ADMIT-123',
    ...MECHANISMS,
  ),
  MECHANISMS,
);

/** The same for models, without crossAppAccess and jwtSign (ADMIT-149). */
export const modelBackendAuth = completeAuth(
  atMostOne(noted(z.strictObject(common), { closed: 'ADMIT-149' }), 'ADMIT-123', ...MODEL_MECHANISMS),
  MODEL_MECHANISMS,
);

const moderationShape = describedFields(
  {
    key: key.exactOptional(),
    secretRef,
    location: authorizationLocation.exactOptional(),
  },
  {
    key: 'The credential itself.',
    secretRef: 'Secret with the credential.',
    location: 'Where the credential is put.',
  },
);

/** For a moderation service (ADMIT-150). */
export const moderationAuth = exactlyOne(z.strictObject(moderationShape), 'ADMIT-150', 'key', 'secretRef');

/** For guardrails of cloud A; an empty `cloudA` finds credentials by itself (ADMIT-151). */
export const guardrailsAuth = exactlyOne(
  described(z.strictObject({ ...moderationShape, cloudA: cloudAAuth.exactOptional() }), {
    cloudA: 'Signatures of cloud A.',
  }),
  'ADMIT-151',
  'key',
  'secretRef',
  'cloudA',
);

/** For the model guard of cloud C; an empty `cloudC` finds credentials by itself (ADMIT-152). */
export const modelGuardAuth = noted(
  described(z.strictObject({ cloudC: cloudCAuth.exactOptional() }), { cloudC: 'Tokens of cloud C.' }),
  { closed: 'ADMIT-152' },
);

/** Something must identify the proxy, and `location` must have something to place. docs/decisions/unshown-fields.md */
function completeAuth<Schema extends z.ZodType>(schema: Schema, mechanisms: readonly string[]): Schema {
  const some = atLeastOne(schema, 'ADMIT-124', ...mechanisms, 'credentials');
  return rule(
    some,
    'VERSION-008',
    isLocated,
    'location applies to key, secretRef and passthrough only',
    `!has(self.location) || ${LOCATED.map((name) => `has(self.${name})`).join(' || ')}`,
  );
}

function isLocated(auth: Fields): boolean {
  return auth['location'] === undefined || LOCATED.some((name) => auth[name] !== undefined);
}

export type BackendAuth = z.infer<typeof backendAuth>;
export type ModelBackendAuth = z.infer<typeof modelBackendAuth>;
export type ModerationAuth = z.infer<typeof moderationAuth>;
export type GuardrailsAuth = z.infer<typeof guardrailsAuth>;
export type ModelGuardAuth = z.infer<typeof modelGuardAuth>;
