import type { HTTPRouteTimeouts } from '../../resources/gateway-api/http-route.ts';
import type { RequestMirror, RequestRedirect, URLRewrite } from '../../resources/gateway-api/http-route-filter.ts';
import type { BackendFull } from '../../resources/proxy-policy/backend.ts';
import type { Authorization } from '../../resources/proxy-policy/fields/authorization.ts';
import type { HeaderModifiers } from '../../resources/proxy-policy/fields/header-modifiers.ts';
import type { Retry } from '../../resources/proxy-policy/fields/retry.ts';
import type { Timeouts } from '../../resources/proxy-policy/fields/timeouts.ts';
import type { Frontend } from '../../resources/proxy-policy/frontend.ts';
import type { Traffic } from '../../resources/proxy-policy/traffic.ts';
import type { Level } from './precedence.ts';

/** Who contributed a value, and from which level. */
export interface PolicyRef {
  readonly kind: 'ProxyPolicy' | 'HTTPRoute' | 'ProxyBackend' | 'ProxyModel';
  readonly namespace: string;
  readonly name: string;
  readonly level: Level;
}

/** The resource a field was written in: local references in it are relative to that namespace. */
export type Origin = Pick<PolicyRef, 'kind' | 'namespace' | 'name'>;

/** Per field, who it came from: one, or everyone for a field that accumulates. */
export type Sources = Readonly<Record<string, readonly PolicyRef[]>>;

/** Settings only the filters of an HTTPRoute can make. */
export interface FilterFields {
  readonly urlRewrite?: URLRewrite;
  readonly requestRedirect?: RequestRedirect;
  readonly mirrors?: readonly RequestMirror[];
}

/** What an HTTPRoute rule itself says, in the words of `traffic`; `timeouts` may carry its `backendRequest`. */
export interface InlineTraffic extends FilterFields {
  readonly headerModifiers?: HeaderModifiers;
  readonly timeouts?: Timeouts & HTTPRouteTimeouts;
  readonly retry?: Retry;
}

/** The filters of one backendRef, in the words of `backend`. */
export interface InlineBackendRef extends FilterFields {
  readonly headerModifiers?: HeaderModifiers;
}

export type TrafficSection = Omit<Traffic, 'phase'> | InlineTraffic;
export type BackendSection = BackendFull | InlineBackendRef;

/**
 * The traffic settings in force, one value per top-level field, each exactly as written in one resource.
 * The same contributions always give the identical object, so whoever compiles it can key on it.
 */
export type EffectiveTraffic = Readonly<Omit<Traffic, 'phase' | 'authorization' | 'timeouts'>> &
  FilterFields & {
    readonly timeouts?: Timeouts & HTTPRouteTimeouts;
    /** Every rule of every level, least specific first; absent when there is none. */
    readonly authorization?: readonly Authorization[];
    readonly sources: Sources;
  };

/** The settings for connecting to one backend the way it was reached. */
export type EffectiveBackend = Readonly<BackendFull> & InlineBackendRef & { readonly sources: Sources };

/** The settings of a listener's connections. */
export type EffectiveFrontend = Readonly<Omit<Frontend, 'networkAuthorization'>> & {
  readonly networkAuthorization?: readonly Authorization[];
  readonly sources: Sources;
};

export type EffectivePolicy = EffectiveTraffic | EffectiveBackend | EffectiveFrontend;

/**
 * The effective policy as plain data for traces and tools: fields as written in the resources; a single authorization
 * rule stands as the object it was written as, several as an array.
 */
export function describeEffective(effective: EffectivePolicy): object {
  const { sources: _, ...fields } = effective;
  return Object.fromEntries(Object.entries(fields).map(([field, value]) => [field, printable(field, value)]));
}

function printable(field: string, value: unknown): unknown {
  const accumulated = field === 'authorization' || field === 'networkAuthorization';
  return accumulated && Array.isArray(value) && value.length === 1 ? (value[0] as unknown) : value;
}
