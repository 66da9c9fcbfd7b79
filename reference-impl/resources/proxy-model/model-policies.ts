import { z } from 'zod';
import { described, noted } from '../notes.ts';
import { fieldTransformation } from '../proxy-policy/fields/ai/field-transformation.ts';
import { aiPromptGuard } from '../proxy-policy/fields/ai/prompt-guard.ts';
import { modelBackendAuth } from '../proxy-policy/fields/auth/backend-auth.ts';
import { authorization } from '../proxy-policy/fields/authorization.ts';
import { backendTls } from '../proxy-policy/fields/backend-tls.ts';
import { backendTunnel } from '../proxy-policy/fields/backend-tunnel.ts';
import { headerModifiers } from '../proxy-policy/fields/header-modifiers.ts';
import { health } from '../proxy-policy/fields/health.ts';
import { listOf } from '../scalars.ts';

/** The policies of one model; no others than these eight (ADMIT-055). */
export const modelPolicies = noted(
  described(
    z.strictObject({
      transformations: noted(listOf(fieldTransformation, 1, 64), { clause: 'LIMIT-047' }).exactOptional(),
      authorization: authorization.exactOptional(),
      auth: modelBackendAuth.exactOptional(),
      health: health.exactOptional(),
      tls: backendTls.exactOptional(),
      tunnel: backendTunnel.exactOptional(),
      headers: headerModifiers.exactOptional(),
      promptGuard: aiPromptGuard.exactOptional(),
    }),
    {
      transformations: 'Fields of the request body computed by expressions, 1 to 64.',
      authorization: 'Who may use the model.',
      auth: 'How the proxy identifies itself to the provider.',
      health: 'Which answers count against the provider, and when it rests.',
      tls: 'How it is secured.',
      tunnel: 'A proxy on the way.',
      headers: 'Header edits with literal values.',
      promptGuard: 'Guards of prompts and of answers.',
    },
    'The policies of one model.',
  ),
  { closed: 'ADMIT-055' },
);

export type ModelPolicies = z.infer<typeof modelPolicies>;
