import type { EffectiveBackend, EffectiveTraffic } from '../attachment/effective-policy.ts';
import type { Listened, Routed, Targeted } from '../exchange/exchange.ts';
import { transformation as backendTransformation } from '../policies/backend/transformation.ts';
import { authorization } from '../policies/traffic/authorization.ts';
import { directResponse } from '../policies/traffic/direct-response.ts';
import { headerModifiers } from '../policies/traffic/header-modifiers.ts';
import { requestRedirect } from '../policies/traffic/request-redirect.ts';
import { transformation } from '../policies/traffic/transformation.ts';
import { urlRewrite } from '../policies/traffic/url-rewrite.ts';
import { stepsOf, type Step } from './compile-phase.ts';

/*
 * THE TABLE. Every rule about the order in which policies act is a row's place in one of these four lists.
 * A row is the field of the effective policy, the policy that gives it effect, and the clauses it answers for.
 */

const traffic = stepsOf<EffectiveTraffic>();
const toBackend = stepsOf<EffectiveBackend>();

/** TRAFFIC-010: `phase: PreRouting`, before a route is chosen. */
export const GATEWAY: readonly Step<EffectiveTraffic, Listened>[] = [
  // cors · jwtAuthentication · basicAuthentication · apiKeyAuthentication · extAuth
  traffic('authorization', authorization, 'AUTHZ-013', 'AUTHZ-014'),
  // extProc
  traffic('transformation', transformation, 'XFORM-001', 'XFORM-002', 'TRAFFIC-002'),
];

/** TRAFFIC-001: `phase: PostRouting` and the filters of the matched rule. */
export const ROUTE: readonly Step<EffectiveTraffic, Routed>[] = [
  // cors · jwtAuthentication · basicAuthentication · apiKeyAuthentication · extAuth
  traffic('authorization', authorization, 'AUTHZ-013', 'AUTHZ-014'),
  // rateLimit · buffer · extProc
  traffic('transformation', transformation, 'XFORM-001', 'XFORM-002', 'TRAFFIC-003'),
  // csrf
  traffic('headerModifiers', headerModifiers, 'TRAFFIC-007'),
  // hostRewrite is read when the request is sent
  traffic('urlRewrite', urlRewrite),
  traffic('requestRedirect', requestRedirect),
  // delay
  traffic('directResponse', directResponse, 'DIRECT-001'),
];

/** Once per attempt, when the backend is known. */
export const BACKEND: readonly Step<EffectiveBackend, Targeted>[] = [
  // authorization · extAuth · auth
  toBackend('transformation', backendTransformation, 'XFORM-006'),
  toBackend('headerModifiers', headerModifiers, 'TRAFFIC-007'),
  toBackend('urlRewrite', urlRewrite),
  toBackend('requestRedirect', requestRedirect),
];

/** The response halves of steps that were reached, in an order of their own. */
export const RESPONSE: readonly ResponseRow[] = [
  { phase: 'route', field: 'headerModifiers', clauses: ['TRAFFIC-008'] },
  { phase: 'backend', field: 'headerModifiers', clauses: ['TRAFFIC-008'] },
  // buffer
  { phase: 'route', field: 'transformation', clauses: ['XFORM-001'] },
  { phase: 'backend', field: 'transformation', clauses: ['XFORM-006'] },
  { phase: 'gateway', field: 'transformation', clauses: ['XFORM-001'] },
  // extProc · response headers of cors, extAuth and rateLimit
];

export interface ResponseRow {
  readonly phase: 'gateway' | 'route' | 'backend';
  readonly field: string;
  readonly clauses: readonly string[];
}
