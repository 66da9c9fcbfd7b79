import { z } from 'zod';
import { atMostOne, exactlyOne, rule } from '../../../groups.ts';
import { localSecretKeyRef, localSecretObjectRef } from '../../../references.ts';
import { celExpression, listOf, shortString } from '../../../scalars.ts';

const tag = exactlyOne(
  z.strictObject({
    key: z.string().min(1).max(128),
    value: z.string().max(256).exactOptional(),
    expression: celExpression.exactOptional(),
  }),
  'ADMIT-129',
  'value',
  'expression',
);

const assumeRole = atMostOne(
  z.strictObject({
    // ADMIT-127: role ARN form.
    roleArn: z.string().regex(/^arn:[^\s]*:role\/\S+$/, 'must be the ARN of a role'),
    sessionName: z
      .string()
      .regex(/^[\w+=,.@-]{2,64}$/, 'must be 2 to 64 word characters or any of +=,.@-')
      .exactOptional(),
    sessionNameExpression: celExpression.exactOptional(),
    tags: listOf(tag, 0, 50).exactOptional(),
  }),
  'ADMIT-126',
  'sessionName',
  'sessionNameExpression',
);

/** Nothing set: default credential discovery of the platform. */
export const cloudAAuth = z.strictObject({
  secretRef: localSecretObjectRef.exactOptional(),
  assumeRole: assumeRole.exactOptional(),
  serviceName: shortString.exactOptional(),
  region: shortString.exactOptional(),
});

const managedIdentity = z.strictObject({ clientId: z.string(), objectId: z.string(), resourceId: z.string() });

export const cloudBAuth = atMostOne(
  z.strictObject({
    secretRef: localSecretObjectRef.exactOptional(),
    managedIdentity: managedIdentity.exactOptional(),
    workloadIdentity: z.strictObject({}).exactOptional(),
  }),
  'ADMIT-130',
  'secretRef',
  'managedIdentity',
  'workloadIdentity',
);

export const cloudCAuth = rule(
  z.strictObject({
    type: z.enum(['AccessToken', 'IdToken']).exactOptional(),
    secretRef: localSecretKeyRef.exactOptional(),
    audience: shortString.exactOptional(),
  }),
  'ADMIT-132',
  (auth) => auth['audience'] === undefined || auth['type'] !== 'AccessToken',
  'audience is for type IdToken only',
);

export type CloudAAuth = z.infer<typeof cloudAAuth>;
export type CloudBAuth = z.infer<typeof cloudBAuth>;
export type CloudCAuth = z.infer<typeof cloudCAuth>;
