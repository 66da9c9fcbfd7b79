import { z } from 'zod';
import { noted } from '../notes.ts';
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
  { closed: 'ADMIT-055' },
);

export type ModelPolicies = z.infer<typeof modelPolicies>;
