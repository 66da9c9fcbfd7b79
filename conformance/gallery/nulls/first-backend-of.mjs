// Host and path routing that looks at everything but where a rule sends its requests.
import { backendOf, httpServer, listenersOf, relay } from './null-proxy.mjs';

/** Serves what some route of the host's listener matches from the first backendRef of that namespace; 404 otherwise. */
export function firstBackendServer(state) {
  return httpServer((request, response) => {
    const host = (request.headers.host ?? '').replace(/:[0-9]*$/, '').toLowerCase();
    const path = request.url.split('?')[0];
    relay(find(host, path, state.resources), request, response);
    response.once('close', () => state.served());
  });
}

function find(host, path, resources) {
  const listener = listenersOf(resources)
    .filter(({ hostname = '' }) => covers(hostname.toLowerCase(), host))
    .toSorted((one, other) => (other.hostname?.length ?? 0) - (one.hostname?.length ?? 0))[0];
  if (listener === undefined) return undefined;
  const routes = resources.filter(
    ({ kind, metadata }) => kind === 'HTTPRoute' && metadata.namespace === listener.namespace,
  );
  const attached = routes.filter(({ spec }) =>
    (spec.parentRefs ?? []).some(
      ({ name, sectionName = listener.name }) => name === listener.owner && sectionName === listener.name,
    ),
  );
  if (!attached.some(({ spec }) => covered(spec.hostnames, host) && spec.rules.some((rule) => matches(rule, path))))
    return undefined;
  const [ref] = routes.flatMap(({ spec }) => spec.rules.flatMap(({ backendRefs = [] }) => backendRefs));
  return ref && backendOf(ref, listener.namespace, resources);
}

function covered(hostnames, host) {
  return (
    hostnames === undefined || hostnames.length === 0 || hostnames.some((each) => covers(each.toLowerCase(), host))
  );
}

function covers(pattern, host) {
  return pattern === '' || pattern === host || (pattern.startsWith('*.') && host.endsWith(pattern.slice(1)));
}

function matches(rule, path) {
  return (rule.matches ?? [{}]).some(({ path: { type = 'PathPrefix', value = '/' } = {} }) => {
    if (type === 'Exact') return path === value;
    if (type === 'RegularExpression') return new RegExp(`^(?:${value})$`).test(path);
    const prefix = value.replace(/\/$/, '');
    return path === prefix || path.startsWith(`${prefix}/`);
  });
}
