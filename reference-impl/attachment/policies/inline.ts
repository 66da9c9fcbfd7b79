import { namespaceOf } from '../../resources/envelope.ts';
import type { HTTPBackendRef, HTTPRoute, HTTPRouteRule } from '../../resources/gateway-api/http-route.ts';
import type { HTTPRouteFilter } from '../../resources/gateway-api/http-route-filter.ts';
import type { ProxyBackend } from '../../resources/proxy-backend/backend.ts';
import type { NamedLLMProvider } from '../../resources/proxy-backend/variants/ai.ts';
import type { BackendFull } from '../../resources/proxy-policy/backend.ts';
import { ageOf } from '../age.ts';
import { contributionMemory } from './contributions.ts';
import type { InlineBackendRef, InlineTraffic, PolicyRef } from './effective-policy.ts';
import type { Contribution } from './merge.ts';
import type { Level } from './precedence.ts';

/** What the rule of an HTTPRoute says itself: its filters, timeouts and retry. */
export function inlineTraffic(route: HTTPRoute, rule: HTTPRouteRule): readonly Contribution<InlineTraffic>[] {
  const { timeouts, retry, filters = [] } = rule;
  if (timeouts === undefined && retry === undefined && filters.length === 0) return [];
  const section = () => ({ ...fieldsOf(filters), ...(timeouts && { timeouts }), ...(retry && { retry }) });
  return [trafficMemory(rule, 'inline', () => contribution(route, 'HTTPRoute', 'inline', section()))];
}

/** What one backendRef says itself: its filters. */
export function inlineBackendRef(route: HTTPRoute, ref: HTTPBackendRef): readonly Contribution<InlineBackendRef>[] {
  const { filters = [] } = ref;
  if (filters.length === 0) return [];
  return [backendRefMemory(ref, 'backendRef', () => contribution(route, 'HTTPRoute', 'backendRef', fieldsOf(filters)))];
}

/** MERGE-001, MERGE-002: the policies a ProxyBackend carries itself. */
export function inlineBackend(backend: ProxyBackend): readonly Contribution<BackendFull>[] {
  const { policies } = backend.spec;
  if (policies === undefined) return [];
  return [backendMemory(policies, 'inline', () => contribution(backend, 'ProxyBackend', 'inline', policies))];
}

/** PROV-007: the policies that one named provider of a ProxyBackend carries. */
export function inlineProvider(
  backend: ProxyBackend,
  { policies }: NamedLLMProvider,
): readonly Contribution<BackendFull>[] {
  if (policies === undefined) return [];
  return [backendMemory(policies, 'provider', () => contribution(backend, 'ProxyBackend', 'provider', policies))];
}

function contribution<Section extends object>(
  owner: HTTPRoute | ProxyBackend,
  kind: PolicyRef['kind'],
  level: Level,
  section: Section,
): Contribution<Section> {
  const policy: PolicyRef = { kind, namespace: namespaceOf(owner), name: owner.metadata.name, level };
  return { policy, age: ageOf(owner), section, inheritance: 'Default' };
}

/** The filters as policy fields. A filter that may stand only once counts once; mirrors add up. */
function fieldsOf(filters: readonly HTTPRouteFilter[]): InlineBackendRef {
  const request = first(filters, 'requestHeaderModifier');
  const response = first(filters, 'responseHeaderModifier');
  const urlRewrite = first(filters, 'urlRewrite');
  const requestRedirect = first(filters, 'requestRedirect');
  const cors = first(filters, 'cors');
  const mirrors = filters.flatMap(({ requestMirror }) => (requestMirror === undefined ? [] : [requestMirror]));
  const headerModifiers = { ...(request && { request }), ...(response && { response }) };
  return {
    ...(cors && { cors }),
    ...(Object.keys(headerModifiers).length > 0 && { headerModifiers }),
    ...(urlRewrite && { urlRewrite }),
    ...(requestRedirect && { requestRedirect }),
    ...(mirrors.length > 0 && { mirrors }),
  };
}

function first<Member extends keyof HTTPRouteFilter>(
  filters: readonly HTTPRouteFilter[],
  member: Member,
): HTTPRouteFilter[Member] | undefined {
  return filters.find((filter) => filter[member] !== undefined)?.[member];
}

const trafficMemory = contributionMemory<InlineTraffic>();
const backendMemory = contributionMemory<BackendFull>();
const backendRefMemory = contributionMemory<InlineBackendRef>();
