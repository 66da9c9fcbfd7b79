import { z } from 'zod';
import { headerMatch } from '../../../gateway-api/http-route-match.ts';
import { exactlyOne } from '../../../groups.ts';
import { described, describedFields, noted } from '../../../notes.ts';
import { backendObjectReference } from '../../../references.ts';
import { celExpression, listOf, longString, mapOf, shortString } from '../../../scalars.ts';
import { backendConnectionShape } from '../../connection.ts';
import { guardrailsAuth, modelGuardAuth, moderationAuth } from '../auth/backend-auth.ts';
import { failureMode } from '../failure-mode.ts';

const BUILTINS = ['Ssn', 'CreditCard', 'PhoneNumber', 'Email', 'CaSin'] as const;

/** Patterns and well-known kinds of text. `action` counts for requests only; answers are masked (GUARD-014). */
const regex = described(
  z.strictObject({
    matches: z.array(longString).exactOptional(),
    builtins: z.array(noted(z.enum(BUILTINS), { clause: 'ADMIT-168' })).exactOptional(),
    action: noted(z.enum(['Mask', 'Reject']), { default: 'Mask', clause: 'ADMIT-167' }).exactOptional(),
  }),
  {
    matches: 'Regular expressions, in RE2.',
    builtins: 'Well-known kinds of text.',
    action: 'What happens to a prompt that matches; answers are masked.',
  },
);

/** Asks a service of one's own; its shape: docs/decisions/unshown-fields.md */
const webhook = described(
  z.strictObject({
    backendRef: backendObjectReference,
    headers: mapOf(celExpression, 0, 64).exactOptional(),
    forwardHeaderMatches: z.array(headerMatch).exactOptional(),
    failureMode: noted(failureMode, { default: 'FailClosed' }).exactOptional(),
  }),
  {
    backendRef: 'The service that decides.',
    headers: 'Headers of the call, by expression, up to 64.',
    forwardHeaderMatches: 'Headers of the request that go along.',
    failureMode: 'What happens when the service fails.',
  },
);

/** A hosted moderation API; for requests only (ADMIT-104). */
const moderation1 = described(
  z.strictObject({
    model: z.string().exactOptional(),
    policies: described(z.strictObject({ ...backendConnectionShape, auth: moderationAuth.exactOptional() }), {
      auth: 'Credentials: a key or a Secret.',
    }).exactOptional(),
  }),
  { model: 'Model that moderates.', policies: 'Connection and credentials.' },
);

/** Guardrails of cloud A (ADMIT-106). */
const guardrailsVendor7 = noted(
  described(
    z.strictObject({
      identifier: shortString,
      version: shortString,
      region: shortString,
      policies: described(z.strictObject({ ...backendConnectionShape, auth: guardrailsAuth.exactOptional() }), {
        auth: 'Credentials: a key, a Secret or cloudA.',
      }).exactOptional(),
    }),
    {
      identifier: 'Id of the guardrail.',
      version: 'Version of the guardrail.',
      region: 'Region of the guardrail.',
      policies: 'Connection and credentials.',
    },
  ),
  { requires: 'ADMIT-106' },
);

/** The model guard of cloud C (ADMIT-107, GUARD-032). */
const modelGuardCloudC = noted(
  described(
    z.strictObject({
      templateId: shortString,
      projectId: shortString,
      location: noted(shortString, { default: 'us-central1' }).exactOptional(),
      policies: described(z.strictObject({ ...backendConnectionShape, auth: modelGuardAuth.exactOptional() }), {
        auth: 'Credentials: cloudC.',
      }).exactOptional(),
    }),
    {
      templateId: 'Id of the template.',
      projectId: 'Project of the template.',
      location: 'Location of the template.',
      policies: 'Connection and credentials.',
    },
  ),
  { requires: 'ADMIT-107' },
);

/** The answer to what a guard rejects (ADMIT-105, GUARD-019 to GUARD-021). */
const customResponse = described(
  z.strictObject({
    message: noted(z.string(), {
      defaultText: 'The request (or: response) was rejected due to inappropriate content',
    }).exactOptional(),
    statusCode: noted(z.number().int().min(200).max(599), { default: 403, clause: 'ADMIT-105' }).exactOptional(),
  }),
  { message: 'Body of the answer.', statusCode: 'Status of the answer, 200 to 599.' },
);

const guards = describedFields(
  {
    regex: regex.exactOptional(),
    webhook: webhook.exactOptional(),
    guardrailsVendor7: guardrailsVendor7.exactOptional(),
    modelGuardCloudC: modelGuardCloudC.exactOptional(),
    response: customResponse.exactOptional(),
  },
  {
    regex: 'Patterns and well-known kinds of text.',
    webhook: 'A service of your own.',
    guardrailsVendor7: 'Guardrails of cloud A.',
    modelGuardCloudC: 'The model guard of cloud C.',
    response: 'The answer to what is rejected.',
  },
);

const promptguardRequest = exactlyOne(
  described(
    z.strictObject({ ...guards, moderation1: moderation1.exactOptional() }),
    { moderation1: 'A hosted moderation API.' },
    'One guard of prompts; exactly one mechanism.',
  ),
  'ADMIT-102',
  'regex',
  'webhook',
  'moderation1',
  'guardrailsVendor7',
  'modelGuardCloudC',
);

const promptguardResponse = exactlyOne(
  noted(described(z.strictObject(guards), {}, 'One guard of answers; exactly one mechanism.'), { closed: 'ADMIT-104' }),
  'ADMIT-103',
  'regex',
  'webhook',
  'guardrailsVendor7',
  'modelGuardCloudC',
);

/** Guards of prompts and of answers, in order; streamed answers only when asked for (GUARD-001). */
export const aiPromptGuard = described(
  z.strictObject({
    streaming: noted(z.enum(['Enabled']), { defaultText: 'off' }).exactOptional(),
    request: noted(listOf(promptguardRequest, 1, 8), { clause: 'LIMIT-015' }).exactOptional(),
    response: noted(listOf(promptguardResponse, 1, 8), { clause: 'LIMIT-015' }).exactOptional(),
  }),
  {
    streaming: 'Whether streamed answers are guarded too.',
    request: 'Guards of prompts, in order, 1 to 8.',
    response: 'Guards of answers, in order, 1 to 8.',
  },
);

export type AIPromptGuard = z.infer<typeof aiPromptGuard>;
export type PromptguardRequest = z.infer<typeof promptguardRequest>;
export type PromptguardResponse = z.infer<typeof promptguardResponse>;
export type Webhook = z.infer<typeof webhook>;
