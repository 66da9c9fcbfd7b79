import { z } from 'zod';
import { described, noted } from '../notes.ts';
import { apiKeyAuthentication } from './fields/api-key-authentication.ts';
import { authorization } from './fields/authorization.ts';
import { basicAuthentication } from './fields/basic-authentication.ts';
import { buffer } from './fields/buffer.ts';
import { cors } from './fields/cors.ts';
import { csrf } from './fields/csrf.ts';
import { delay } from './fields/delay.ts';
import { directResponseOrConditional } from './fields/direct-response.ts';
import { extAuthOrConditional } from './fields/ext-auth.ts';
import { extProcOrConditional } from './fields/ext-proc.ts';
import { headerModifiers } from './fields/header-modifiers.ts';
import { hostRewrite } from './fields/host-rewrite.ts';
import { jwtAuthentication } from './fields/jwt-authentication.ts';
import { rateLimitsOrConditional } from './fields/rate-limit.ts';
import { retry } from './fields/retry.ts';
import { timeouts } from './fields/timeouts.ts';
import { transformationOrConditional } from './fields/transformation.ts';
import { beforeRouting } from './target-validations.ts';

const fields = described(
  z.strictObject({
    /** The two phases never merge with each other (TRAFFIC-001). */
    phase: noted(z.enum(['PreRouting', 'PostRouting']), {
      default: 'PostRouting',
      clause: 'ADMIT-087',
    }).exactOptional(),
    transformation: transformationOrConditional.exactOptional(),
    extProc: extProcOrConditional.exactOptional(),
    extAuth: extAuthOrConditional.exactOptional(),
    rateLimit: rateLimitsOrConditional.exactOptional(),
    cors: cors.exactOptional(),
    csrf: csrf.exactOptional(),
    headerModifiers: headerModifiers.exactOptional(),
    hostRewrite: hostRewrite.exactOptional(),
    timeouts: timeouts.exactOptional(),
    retry: retry.exactOptional(),
    authorization: authorization.exactOptional(),
    jwtAuthentication: jwtAuthentication.exactOptional(),
    basicAuthentication: basicAuthentication.exactOptional(),
    apiKeyAuthentication: apiKeyAuthentication.exactOptional(),
    directResponse: directResponseOrConditional.exactOptional(),
    buffer: buffer.exactOptional(),
    delay: delay.exactOptional(),
  }),
  {
    phase: 'Before a route is chosen, or after.',
    transformation: 'Edits of requests and answers by expressions.',
    extProc: 'Sends requests and answers through a processor.',
    extAuth: 'Asks a server whether the request may pass.',
    rateLimit: 'Limits of this instance and of a server.',
    cors: 'Answers for scripts of other origins.',
    csrf: 'Refuses unsafe requests from other origins.',
    headerModifiers: 'Header edits with literal values.',
    hostRewrite: 'Which Host the backend sees.',
    timeouts: 'Limits of time.',
    retry: 'When requests are tried again.',
    authorization: 'Who may send which request.',
    jwtAuthentication: 'Tokens clients show.',
    basicAuthentication: 'Users and passwords.',
    apiKeyAuthentication: 'Keys clients show.',
    directResponse: 'An answer given without a backend.',
    buffer: 'Holds bodies back until they are complete.',
    delay: 'Holds requests back for a time.',
  },
);

/** What happens to requests before a backend is chosen; field names after `extProc`: docs/decisions/unshown-fields.md */
export const traffic = noted(fields, {
  text: 'What happens to requests before a backend is chosen.',
  validations: [beforeRouting(Object.keys(fields.shape))],
});

export type Traffic = z.infer<typeof traffic>;
