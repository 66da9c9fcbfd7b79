import { perObject } from '../../base/per-object.ts';
import { namespaceOf } from '../../resources/envelope.ts';
import type { HTTPBackendRef, HTTPRoute, HTTPRouteRule } from '../../resources/gateway-api/http-route.ts';
import type { HTTPRouteFilter } from '../../resources/gateway-api/http-route-filter.ts';
import type { ProxyBackend } from '../../resources/proxy-backend/backend.ts';
import type { NamedLLMProvider } from '../../resources/proxy-backend/variants/ai.ts';
import type { BackendFull, BackendSimple } from '../../resources/proxy-policy/backend.ts';
import { ageOf } from '../age.ts';
import type { Contribution } from './contributions.ts';
import type { InlineBackendRef, InlineTraffic, PolicyRef } from './effective-policy.ts';
import type { Level } from './precedence.ts';

/** What the rule of an HTTPRoute says itself: its filters, timeouts and retry. */
export function inlineTraffic(route: HTTPRoute, rule: HTTPRouteRule): readonly Contribution<InlineTraffic>[] {
  const { timeouts, retry, filters = [] } = rule;
  return timeouts === undefined && retry === undefined && filters.length === 0 ? [] : [trafficOfRule(route)(rule)];
}

const trafficOfRule = perObject((route: HTTPRoute) =>
  perObject(({ timeouts, retry, filters = [] }: HTTPRouteRule) =>
    contribution(route, 'HTTPRoute', 'inline', {
      ...fieldsOf(filters),
      ...(timeouts && { timeouts }),
      ...(retry && { retry }),
    }),
  ),
);

/** What one backendRef says itself: its filters. */
export function inlineBackendRef(route: HTTPRoute, ref: HTTPBackendRef): readonly Contribution<InlineBackendRef>[] {
  return (ref.filters ?? []).length === 0 ? [] : [settingsOfRef(route)(ref)];
}

const settingsOfRef = perObject((route: HTTPRoute) =>
  perObject(({ filters = [] }: HTTPBackendRef) => contribution(route, 'HTTPRoute', 'backendRef', fieldsOf(filters))),
);

/** MERGE-001, MERGE-002: the policies a ProxyBackend carries itself. */
export const inlineBackend = perObject((backend: ProxyBackend): readonly Contribution<BackendFull>[] => {
  const { policies } = backend.spec;
  return policies === undefined ? [] : [contribution(backend, 'ProxyBackend', 'inline', policies)];
});

/** PROV-007: the policies that one named provider of a ProxyBackend carries. */
export function inlineProvider(
  backend: ProxyBackend,
  { policies }: NamedLLMProvider,
): readonly Contribution<BackendFull>[] {
  return policies === undefined ? [] : [settingsOfProvider(backend)(policies)];
}

const settingsOfProvider = perObject((backend: ProxyBackend) =>
  perObject((policies: BackendFull) => contribution(backend, 'ProxyBackend', 'provider', policies)),
);

/** MCP-029: the policies that one target of an mcp backend carries. */
export function inlineMcpTarget(
  backend: ProxyBackend,
  policies: BackendSimple | undefined,
): readonly Contribution<BackendFull>[] {
  return policies === undefined ? [] : [settingsOfMcpTarget(backend)(policies)];
}

const settingsOfMcpTarget = perObject((backend: ProxyBackend) =>
  perObject((policies: BackendSimple) => contribution<BackendFull>(backend, 'ProxyBackend', 'mcpTarget', policies)),
);

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
