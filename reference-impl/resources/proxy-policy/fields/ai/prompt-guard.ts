import { z } from 'zod';
import { headerMatch } from '../../../gateway-api/http-route-match.ts';
import { exactlyOne } from '../../../groups.ts';
import { backendObjectReference } from '../../../references.ts';
import { celExpression, listOf, longString, mapOf, shortString } from '../../../scalars.ts';
import { backendConnectionShape } from '../../connection.ts';
import { guardrailsAuth, modelGuardAuth, moderationAuth } from '../auth/backend-auth.ts';
import { failureMode } from '../failure-mode.ts';

/** `action` defaults to Mask and counts for requests only. */
const regex = z.strictObject({
  matches: z.array(longString).exactOptional(),
  builtins: z.array(z.enum(['Ssn', 'CreditCard', 'PhoneNumber', 'Email', 'CaSin'])).exactOptional(),
  action: z.enum(['Mask', 'Reject']).exactOptional(),
});

const webhook = z.strictObject({
  backendRef: backendObjectReference,
  headers: mapOf(celExpression, 0, 64).exactOptional(),
  forwardHeaderMatches: z.array(headerMatch).exactOptional(),
  failureMode: failureMode.exactOptional(),
});

const moderation1 = z.strictObject({
  model: z.string().exactOptional(),
  policies: z.strictObject({ ...backendConnectionShape, auth: moderationAuth.exactOptional() }).exactOptional(),
});

const guardrailsVendor7 = z.strictObject({
  identifier: shortString,
  version: shortString,
  region: shortString,
  policies: z.strictObject({ ...backendConnectionShape, auth: guardrailsAuth.exactOptional() }).exactOptional(),
});

const modelGuardCloudC = z.strictObject({
  templateId: shortString,
  projectId: shortString,
  location: shortString.exactOptional(),
  policies: z.strictObject({ ...backendConnectionShape, auth: modelGuardAuth.exactOptional() }).exactOptional(),
});

const customResponse = z.strictObject({
  message: z.string().exactOptional(),
  statusCode: z.number().int().min(200).max(599).exactOptional(),
});

const guards = {
  regex: regex.exactOptional(),
  webhook: webhook.exactOptional(),
  guardrailsVendor7: guardrailsVendor7.exactOptional(),
  modelGuardCloudC: modelGuardCloudC.exactOptional(),
  response: customResponse.exactOptional(),
};

const promptguardRequest = exactlyOne(
  z.strictObject({ ...guards, moderation1: moderation1.exactOptional() }),
  'ADMIT-102',
  'regex',
  'webhook',
  'moderation1',
  'guardrailsVendor7',
  'modelGuardCloudC',
);

const promptguardResponse = exactlyOne(
  z.strictObject(guards),
  'ADMIT-103',
  'regex',
  'webhook',
  'guardrailsVendor7',
  'modelGuardCloudC',
);

export const aiPromptGuard = z.strictObject({
  /** Off unless Enabled. */
  streaming: z.enum(['Enabled']).exactOptional(),
  request: listOf(promptguardRequest, 1, 8).exactOptional(),
  response: listOf(promptguardResponse, 1, 8).exactOptional(),
});

export type AIPromptGuard = z.infer<typeof aiPromptGuard>;
export type PromptguardRequest = z.infer<typeof promptguardRequest>;
export type PromptguardResponse = z.infer<typeof promptguardResponse>;
export type Webhook = z.infer<typeof webhook>;
