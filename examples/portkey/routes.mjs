// What the resources of the suite come to: rules in the order in which they are tried, each with the backend of its requests.
import { providerTargets } from './backends.mjs';
import { onlyKnown, Refused } from './refused.mjs';

const KINDS = ['Namespace', 'Secret', 'Gateway', 'HTTPRoute', 'ProxyBackend', 'ProxyPolicy'];

/** Every rule of every host, the first that matches is the one that counts. */
export function readRoutes(resources) {
  const unknown = resources.find(({ kind }) => !KINDS.includes(kind));
  if (unknown !== undefined) throw new Refused(unknown, 'kind', `kind ${unknown.kind} is not implemented`);
  for (const policy of ofKind(resources, 'ProxyPolicy')) checkPolicy(policy);
  const rules = ofKind(resources, 'Gateway').flatMap((gateway) =>
    gateway.spec.listeners.flatMap((listener) => rulesOfListener(resources, gateway, listener)),
  );
  return rules.toSorted((one, other) => compare(one.order, other.order));
}

/** The rule for a request; undefined when there is none. */
export function findRule(rules, host, target) {
  const path = target.split('?', 1)[0];
  return rules.find((rule) => covers(rule.host, host) && isAt(rule.path, path));
}

function rulesOfListener(resources, gateway, listener) {
  const pattern = (listener.hostname ?? '').toLowerCase();
  return ofKind(resources, 'HTTPRoute')
    .filter((route) => attaches(route, gateway, listener))
    .flatMap((route) =>
      (route.spec.hostnames ?? [pattern])
        .map((hostname) => narrower(pattern, hostname.toLowerCase()))
        .filter((host) => host !== undefined)
        .flatMap((host) => rulesOfRoute(resources, { gateway, listener, route }, host)),
    );
}

function rulesOfRoute(resources, { gateway, listener, route }, host) {
  return route.spec.rules.flatMap((rule, index) => {
    onlyKnown(route, 'spec.rules', rule, ['name', 'matches', 'backendRefs']);
    const places = [
      { kind: 'Gateway', resource: gateway },
      { kind: 'Gateway', resource: gateway, section: listener.name },
      { kind: 'HTTPRoute', resource: route },
      { kind: 'HTTPRoute', resource: route, section: rule.name },
    ];
    const backend = backendOf(resources, route, rule, places);
    return (rule.matches ?? [{}]).map((match) => {
      onlyKnown(route, 'spec.rules.matches', match, ['path']);
      const path = { type: 'PathPrefix', value: '/', ...match.path };
      return { host, path, backend, order: [-host.replace('*', '').length, ...precedence(path), index] };
    });
  });
}

/** A place in a static backend, or what the gateway is told; undefined when the reference leads nowhere. */
function backendOf(resources, route, { backendRefs = [] }, places) {
  if (backendRefs.length > 1) throw new Refused(route, 'spec.rules.backendRefs', 'only one backend is implemented');
  const [reference] = backendRefs;
  const namespace = reference?.namespace ?? route.metadata.namespace;
  if (reference === undefined || namespace !== route.metadata.namespace) return undefined;
  if (reference.kind !== 'ProxyBackend') throw new Refused(route, 'spec.rules.backendRefs', 'only ProxyBackends');
  const backend = ofKind(resources, 'ProxyBackend').find((one) => isNamed(one, namespace, reference.name));
  if (backend === undefined) return undefined;
  const above = effective(resources, [...places, { kind: 'ProxyBackend', resource: backend }]);
  if (backend.spec.static !== undefined) return staticBackend(backend, above);
  const ofSection = (section) => effective(resources, [{ kind: 'ProxyBackend', resource: backend, section }]);
  return providerTargets(resources, backend, above, ofSection);
}

function staticBackend(backend, policies) {
  onlyKnown(backend, 'spec.static', backend.spec.static, ['host', 'port']);
  // AI-011: `ai` is for backends of type ai alone.
  onlyKnown(backend, 'spec.policies', { ...policies, ...backend.spec.policies }, ['ai']);
  return { static: backend.spec.static };
}

/** The backend section of all policies at the places, the least specific first: whole fields, the last one counts. */
function effective(resources, places) {
  const found = places.flatMap(({ kind, resource, section }) =>
    ofKind(resources, 'ProxyPolicy')
      .filter((policy) => policy.metadata.namespace === resource.metadata.namespace)
      .filter((policy) => policy.spec.targetRefs.some((ref) => isTarget(ref, kind, resource, section)))
      .toSorted((one, other) => compare([other.metadata.name], [one.metadata.name])),
  );
  return Object.assign({}, ...found.map((policy) => policy.spec.backend ?? {}));
}

function checkPolicy(policy) {
  onlyKnown(policy, 'spec', policy.spec, ['targetRefs', 'backend']);
  onlyKnown(policy, 'spec.backend', policy.spec.backend, ['ai', 'auth', 'http']);
}

function isTarget(ref, kind, resource, section) {
  return ref.kind === kind && ref.name === resource.metadata.name && ref.sectionName === section;
}

function attaches(route, gateway, listener) {
  return route.spec.parentRefs.some(
    (ref) =>
      (ref.kind ?? 'Gateway') === 'Gateway' &&
      isNamed(gateway, ref.namespace ?? route.metadata.namespace, ref.name) &&
      (ref.sectionName ?? listener.name) === listener.name,
  );
}

/** Exact before prefix before regular expression, longer before shorter. */
function precedence({ type, value }) {
  return [['Exact', 'PathPrefix', 'RegularExpression'].indexOf(type), -value.length];
}

function isAt({ type, value }, path) {
  if (type === 'Exact') return path === value;
  if (type === 'RegularExpression') return new RegExp(`^(?:${value})$`).test(path);
  const prefix = value.replace(/\/$/, '');
  return path === prefix || path.startsWith(`${prefix}/`);
}

function covers(pattern, host) {
  return pattern === '' || pattern === host || (pattern.startsWith('*.') && host.endsWith(pattern.slice(1)));
}

/** The host that both patterns cover. */
function narrower(one, other) {
  if (covers(one, other)) return other;
  return covers(other, one) ? one : undefined;
}

function compare(one, other) {
  const at = one.findIndex((value, index) => value !== other[index]);
  if (at === -1) return 0;
  return one[at] < other[at] ? -1 : 1;
}

function isNamed({ metadata }, namespace, name) {
  return metadata.namespace === namespace && metadata.name === name;
}

function ofKind(resources, kind) {
  return resources.filter((one) => one.kind === kind);
}
