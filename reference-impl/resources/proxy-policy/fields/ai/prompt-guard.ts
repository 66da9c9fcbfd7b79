import { z } from 'zod';
import { headerMatch } from '../../../gateway-api/http-route-match.ts';
import { exactlyOne } from '../../../groups.ts';
import { noted } from '../../../notes.ts';
import { backendObjectReference } from '../../../references.ts';
import { celExpression, listOf, longString, mapOf, shortString } from '../../../scalars.ts';
import { backendConnectionShape } from '../../connection.ts';
import { guardrailsAuth, modelGuardAuth, moderationAuth } from '../auth/backend-auth.ts';
import { failureMode } from '../failure-mode.ts';

const BUILTINS = ['Ssn', 'CreditCard', 'PhoneNumber', 'Email', 'CaSin'] as const;

/** Patterns and well-known kinds of text. `action` counts for requests only; answers are masked (GUARD-014). */
const regex = z.strictObject({
  matches: z.array(longString).exactOptional(),
  builtins: z.array(noted(z.enum(BUILTINS), { clause: 'ADMIT-168' })).exactOptional(),
  action: noted(z.enum(['Mask', 'Reject']), { default: 'Mask', clause: 'ADMIT-167' }).exactOptional(),
});

/** Asks a service of one's own; its shape follows choices 7.2. */
const webhook = z.strictObject({
  backendRef: backendObjectReference,
  headers: mapOf(celExpression, 0, 64).exactOptional(),
  forwardHeaderMatches: z.array(headerMatch).exactOptional(),
  failureMode: noted(failureMode, { default: 'FailClosed' }).exactOptional(),
});

/** A hosted moderation API; for requests only (ADMIT-104). */
const moderation1 = z.strictObject({
  model: z.string().exactOptional(),
  policies: z.strictObject({ ...backendConnectionShape, auth: moderationAuth.exactOptional() }).exactOptional(),
});

/** Guardrails of cloud A (ADMIT-106). */
const guardrailsVendor7 = noted(
  z.strictObject({
    identifier: shortString,
    version: shortString,
    region: shortString,
    policies: z.strictObject({ ...backendConnectionShape, auth: guardrailsAuth.exactOptional() }).exactOptional(),
  }),
  { requires: 'ADMIT-106' },
);

/** The model guard of cloud C (ADMIT-107, GUARD-032). */
const modelGuardCloudC = noted(
  z.strictObject({
    templateId: shortString,
    projectId: shortString,
    location: noted(shortString, { default: 'us-central1' }).exactOptional(),
    policies: z.strictObject({ ...backendConnectionShape, auth: modelGuardAuth.exactOptional() }).exactOptional(),
  }),
  { requires: 'ADMIT-107' },
);

/** The answer to what a guard rejects (ADMIT-105, GUARD-019 to GUARD-021). */
const customResponse = z.strictObject({
  message: noted(z.string(), {
    defaultText: 'The request (or: response) was rejected due to inappropriate content',
  }).exactOptional(),
  statusCode: noted(z.number().int().min(200).max(599), { default: 403, clause: 'ADMIT-105' }).exactOptional(),
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
  noted(z.strictObject(guards), { closed: 'ADMIT-104' }),
  'ADMIT-103',
  'regex',
  'webhook',
  'guardrailsVendor7',
  'modelGuardCloudC',
);

/** Guards of prompts and of answers, in order; streamed answers only when asked for (GUARD-001). */
export const aiPromptGuard = z.strictObject({
  streaming: noted(z.enum(['Enabled']), { defaultText: 'off' }).exactOptional(),
  request: noted(listOf(promptguardRequest, 1, 8), { clause: 'LIMIT-015' }).exactOptional(),
  response: noted(listOf(promptguardResponse, 1, 8), { clause: 'LIMIT-015' }).exactOptional(),
});

export type AIPromptGuard = z.infer<typeof aiPromptGuard>;
export type PromptguardRequest = z.infer<typeof promptguardRequest>;
export type PromptguardResponse = z.infer<typeof promptguardResponse>;
export type Webhook = z.infer<typeof webhook>;
