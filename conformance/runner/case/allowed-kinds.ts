import { isList, isObject } from '../values/json.ts';
import type { JsonObject } from '../values/json.ts';
import type { ConcreteCase } from './concrete-case.ts';
import { API_VERSIONS } from './kinds.ts';

/**
 * A Gateway or ListenerSet whose listeners name the kinds the case attaches to them (MODEL-002), where they say nothing of kinds
 * themselves. A listener without a list takes the routes of its protocol alone (Gateway API, AllowedRoutes), so a case of HTTPRoutes
 * only needs none.
 */
export function admitAttached(resource: JsonObject, given: Pick<ConcreteCase, 'config' | 'steps'>): JsonObject {
  const { kind, spec } = resource;
  if ((kind !== 'Gateway' && kind !== 'ListenerSet') || !isObject(spec) || !isList(spec['listeners'])) return resource;
  const attached = attachedKinds([given.config, given.steps.map(({ input }) => input)]);
  if (attached.size === 0) return resource;
  const kinds = [ROUTE, ...attached].map((name) => ({ group: groupOf(name), kind: name }));
  return { ...resource, spec: { ...spec, listeners: spec['listeners'].map((one) => withKinds(one, kinds)) } };
}

const ROUTE = 'HTTPRoute';

/** Kinds other than routes whose resources name parents, anywhere in what a case writes. */
function attachedKinds(written: unknown): ReadonlySet<string> {
  if (isList(written)) return new Set(written.flatMap((item) => [...attachedKinds(item)]));
  if (!isObject(written)) return new Set();
  const { kind, spec } = written;
  const attaches = typeof kind === 'string' && kind !== ROUTE && isObject(spec) && isList(spec['parentRefs']);
  return attaches ? new Set([kind]) : attachedKinds(Object.values(written));
}

function withKinds(listener: unknown, kinds: readonly JsonObject[]): unknown {
  if (!isObject(listener)) return listener;
  const { allowedRoutes = {} } = listener;
  if (!isObject(allowedRoutes) || allowedRoutes['kinds'] !== undefined) return listener;
  return { ...listener, allowedRoutes: { ...allowedRoutes, kinds } };
}

function groupOf(kind: string): string {
  const [group = '', version] = (API_VERSIONS[kind] ?? '').split('/');
  return version === undefined ? '' : group;
}
