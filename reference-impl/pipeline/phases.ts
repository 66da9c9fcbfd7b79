import type { EffectiveBackend, EffectiveTraffic } from '../attachment/policies/effective-policy.ts';
import type { Listened, Routed, Targeted } from '../exchange/exchange.ts';
import { auth } from '../policies/backend/auth.ts';
import { transformation as backendTransformation } from '../policies/backend/transformation.ts';
import { apiKeyAuthentication } from '../policies/traffic/api-key-authentication/api-key-authentication.ts';
import { authorization } from '../policies/traffic/authorization.ts';
import { basicAuthentication } from '../policies/traffic/basic-authentication/basic-authentication.ts';
import { buffer } from '../policies/traffic/buffer.ts';
import { cors } from '../policies/traffic/cors.ts';
import { csrf } from '../policies/traffic/csrf.ts';
import { delay } from '../policies/traffic/delay.ts';
import { directResponse } from '../policies/traffic/direct-response.ts';
import { extAuth } from '../policies/traffic/ext-auth/ext-auth.ts';
import { extProc } from '../policies/traffic/ext-proc/ext-proc.ts';
import { headerModifiers } from '../policies/traffic/header-modifiers.ts';
import { jwtAuthentication } from '../policies/traffic/jwt-authentication/jwt-authentication.ts';
import { rateLimit } from '../policies/traffic/rate-limit/rate-limit.ts';
import { requestRedirect } from '../policies/traffic/request-redirect.ts';
import { retry } from '../policies/traffic/retry.ts';
import { transformation } from '../policies/traffic/transformation.ts';
import { urlRewrite } from '../policies/traffic/url-rewrite.ts';
import { type FieldOf, stepsOf, type Step } from './compile-phase.ts';

/*
 * THE TABLE. Every rule about the order in which policies act is a row's place in one of these four lists.
 * A row is the field of the effective policy, the policy that gives it effect, and the clauses it answers for.
 */

const traffic = stepsOf<EffectiveTraffic>();
const toBackend = stepsOf<EffectiveBackend>();

/** TRAFFIC-010: `phase: PreRouting`, before a route is chosen. */
export const GATEWAY: readonly Step<EffectiveTraffic, Listened>[] = [
  traffic('cors', cors),
  traffic('jwtAuthentication', jwtAuthentication, 'JWT-001', 'JWT-024'),
  traffic('basicAuthentication', basicAuthentication, 'BASIC-001', 'BASIC-006'),
  traffic('apiKeyAuthentication', apiKeyAuthentication, 'APIKEY-001', 'APIKEY-012'),
  traffic('extAuth', extAuth, 'EXTAUTH-001', 'EXTAUTH-039'),
  traffic('authorization', authorization, 'AUTHZ-013', 'AUTHZ-014'),
  traffic('extProc', extProc, 'EXTPROC-001', 'EXTPROC-020'),
  traffic('transformation', transformation, 'XFORM-001', 'XFORM-002', 'TRAFFIC-002'),
];

/** TRAFFIC-001: `phase: PostRouting` and the filters of the matched rule. docs/decisions/policy-order.md */
export const ROUTE: readonly Step<EffectiveTraffic, Routed>[] = [
  // Only notes, on the request as it left the gateway phase, whether it may be sent again.
  traffic('retry', retry, 'RETRY-001', 'RETRY-008'),
  traffic('cors', cors),
  traffic('jwtAuthentication', jwtAuthentication, 'JWT-001', 'JWT-024'),
  traffic('basicAuthentication', basicAuthentication, 'BASIC-001', 'BASIC-006'),
  traffic('apiKeyAuthentication', apiKeyAuthentication, 'APIKEY-001', 'APIKEY-012'),
  traffic('extAuth', extAuth, 'EXTAUTH-001', 'EXTAUTH-039'),
  traffic('authorization', authorization, 'AUTHZ-013', 'AUTHZ-014'),
  traffic('rateLimit', rateLimit, 'RATE-001', 'RATE-003'),
  traffic('buffer', buffer, 'BUFFER-001', 'BUFFER-004'),
  traffic('extProc', extProc, 'EXTPROC-001', 'EXTPROC-020'),
  traffic('transformation', transformation, 'XFORM-001', 'XFORM-002', 'TRAFFIC-003'),
  traffic('csrf', csrf, 'CSRF-003'),
  traffic('headerModifiers', headerModifiers, 'TRAFFIC-007'),
  // hostRewrite is read when the request is sent
  traffic('urlRewrite', urlRewrite),
  traffic('requestRedirect', requestRedirect),
  traffic('delay', delay, 'DELAY-001', 'DELAY-006'),
  traffic('directResponse', directResponse, 'DIRECT-001'),
];

/** Once per attempt, when the backend is known. */
export const BACKEND: readonly Step<EffectiveBackend, Targeted>[] = [
  // authorization
  toBackend('extAuth', extAuth, 'EXTAUTH-038'),
  toBackend('auth', auth, 'BAUTH-001', 'BAUTH-009'),
  toBackend('transformation', backendTransformation, 'XFORM-006'),
  toBackend('headerModifiers', headerModifiers, 'TRAFFIC-007'),
  toBackend('urlRewrite', urlRewrite),
  toBackend('requestRedirect', requestRedirect),
];

/** The response halves of steps that were reached, in an order of their own. */
export const RESPONSE: readonly ResponseRow[] = [
  { phase: 'route', field: 'headerModifiers', clauses: ['TRAFFIC-008'] },
  { phase: 'backend', field: 'headerModifiers', clauses: ['TRAFFIC-008'] },
  { phase: 'route', field: 'buffer', clauses: ['BUFFER-002', 'BUFFER-005'] },
  { phase: 'route', field: 'transformation', clauses: ['XFORM-001'] },
  { phase: 'backend', field: 'transformation', clauses: ['XFORM-006'] },
  { phase: 'gateway', field: 'transformation', clauses: ['XFORM-001'] },
  { phase: 'route', field: 'extProc', clauses: ['EXTPROC-001', 'EXTPROC-011'] },
  { phase: 'gateway', field: 'extProc', clauses: ['EXTPROC-001', 'EXTPROC-011'] },
  { phase: 'route', field: 'rateLimit', clauses: ['RATE-009', 'RATE-018'] },
  // after all of them, the fields that cors, extAuth and rateLimit keep for the answer (reply-headers.ts)
];

export type ResponseRow = RowOf<'gateway' | 'route', EffectiveTraffic> | RowOf<'backend', EffectiveBackend>;

interface RowOf<Phase, Effective> {
  readonly phase: Phase;
  readonly field: FieldOf<Effective>;
  readonly clauses: readonly string[];
}
