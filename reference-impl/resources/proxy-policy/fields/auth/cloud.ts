import { z } from 'zod';
import { atMostOne, exactlyOne, rule } from '../../../groups.ts';
import { described, noted } from '../../../notes.ts';
import { localSecretObjectRef, secretKeyRef } from '../../../references.ts';
import { celExpression, listOf, shortString } from '../../../scalars.ts';

/** A session tag (ADMIT-129, LIMIT-042). */
const tag = exactlyOne(
  described(
    z.strictObject({
      key: noted(z.string().min(1).max(128), { clause: 'LIMIT-042' }),
      value: noted(z.string().max(256), { clause: 'LIMIT-042' }).exactOptional(),
      expression: celExpression.exactOptional(),
    }),
    {
      key: 'Key, 1 to 128 characters.',
      value: 'Value, up to 256 characters.',
      expression: 'CEL that gives the value.',
    },
    'A session tag.',
  ),
  'ADMIT-129',
  'value',
  'expression',
);

/** A role to take on; its session may carry up to 50 tags. */
const assumeRole = atMostOne(
  described(
    z.strictObject({
      roleArn: noted(
        z
          .string()
          .min(1)
          .regex(/^arn:[^\s]*:role\/\S+$/, 'must be the ARN of a role'),
        { clause: 'ADMIT-127' },
      ),
      sessionName: noted(
        z
          .string()
          .min(2)
          .max(64)
          .regex(/^[\w+=,.@-]+$/, 'must be word characters or any of +=,.@-'),
        { clause: 'ADMIT-128' },
      ).exactOptional(),
      sessionNameExpression: celExpression.exactOptional(),
      tags: listOf(tag, 0, 50).exactOptional(),
    }),
    {
      roleArn: 'ARN of the role.',
      sessionName: 'Name of the session, 2 to 64 characters.',
      sessionNameExpression: 'CEL that gives the name of the session.',
      tags: 'Up to 50 session tags.',
    },
  ),
  'ADMIT-126',
  'sessionName',
  'sessionNameExpression',
);

/** Signs requests for cloud A. Nothing set: credentials are found as the SDK of the platform does (BAUTH-014). */
export const cloudAAuth = described(
  z.strictObject({
    /** With keys accessKey, secretKey and, if it likes, sessionToken. */
    secretRef: localSecretObjectRef.exactOptional(),
    assumeRole: assumeRole.exactOptional(),
    serviceName: shortString.exactOptional(),
    region: shortString.exactOptional(),
  }),
  {
    secretRef: 'Secret with accessKey, secretKey and perhaps sessionToken.',
    assumeRole: 'A role to take on.',
    serviceName: 'Service the signature is for.',
    region: 'Region the signature is for.',
  },
);

const managedIdentity = noted(
  described(z.strictObject({ clientId: z.string(), objectId: z.string(), resourceId: z.string() }), {
    clientId: 'Client id of the identity.',
    objectId: 'Object id of the identity.',
    resourceId: 'Resource id of the identity.',
  }),
  {
    requires: 'ADMIT-131',
  },
);

/** Tokens of cloud B. Nothing set: found from the environment (ADMIT-130, BAUTH-025). */
export const cloudBAuth = atMostOne(
  described(
    z.strictObject({
      secretRef: localSecretObjectRef.exactOptional(),
      managedIdentity: managedIdentity.exactOptional(),
      workloadIdentity: z.strictObject({}).exactOptional(),
    }),
    {
      secretRef: 'Secret with the credentials of a client.',
      managedIdentity: 'Identity the platform manages.',
      workloadIdentity: 'Identity of the workload.',
    },
  ),
  'ADMIT-130',
  'secretRef',
  'managedIdentity',
  'workloadIdentity',
);

/** Tokens of cloud C (ADMIT-132, BAUTH-028 to BAUTH-030). */
export const cloudCAuth = rule(
  described(
    z.strictObject({
      type: z.enum(['AccessToken', 'IdToken']).exactOptional(),
      secretRef: noted(secretKeyRef('credentials.json'), {
        defaultText: 'credentials of the environment',
      }).exactOptional(),
      audience: noted(shortString, { defaultText: 'derived from the host of the backend' }).exactOptional(),
    }),
    { type: 'Kind of the token.', secretRef: 'Secret with the credentials.', audience: 'Audience of an IdToken.' },
  ),
  'ADMIT-132',
  (auth) => auth['audience'] === undefined || auth['type'] !== 'AccessToken',
  'audience is for type IdToken only',
  "!has(self.audience) || !has(self.type) || self.type != 'AccessToken'",
);

export type CloudAAuth = z.infer<typeof cloudAAuth>;
export type CloudBAuth = z.infer<typeof cloudBAuth>;
export type CloudCAuth = z.infer<typeof cloudCAuth>;
