import { objectMember, stringMember } from '../../base/members.ts';
import { fetchAdminJson } from './admin-client.ts';
import { TraceFailure } from './trace-failure.ts';

/** A gateway the proxy serves, and the data ports it listens on. */
export interface KnownGateway {
  readonly namespace: string;
  readonly name: string;
  readonly ports: readonly number[];
}

/** What the trace is asked for; without namespace every gateway of the name is meant. */
export interface SelectedGateway {
  readonly namespace: string | undefined;
  readonly name: string;
  readonly ports: readonly number[];
}

/**
 * CLI-031: finds the gateway that `gateway/NAME`, `gateway/NAME.NAMESPACE`, a bare NAME, or nothing at all means.
 * Throws a TraceFailure that lists the gateways there are. docs/decisions/trace-client-gateway.md
 */
export async function resolveGateway(
  adminPort: number,
  resource: string | undefined,
  namespace: string | undefined,
): Promise<SelectedGateway> {
  const known = gatewaysOf(await fetchAdminJson(adminPort, '/config_dump'));
  return selectGateway(known, resource, namespace);
}

/** The same without the look-up, for a list of gateways that is known. */
export function selectGateway(
  known: readonly KnownGateway[],
  resource: string | undefined,
  namespace: string | undefined,
): SelectedGateway {
  const name = resource === undefined ? undefined : gatewayName(resource);
  const exact = known.filter((gateway) => inNamespace(gateway, namespace) && (name ?? gateway.name) === gateway.name);
  // A name may itself hold dots, so the suffix form only counts when no gateway has the whole name.
  const matches = exact.length > 0 ? exact : known.filter((gateway) => name === `${gateway.name}.${gateway.namespace}`);
  const [match, ...others] = matches;
  if (match === undefined) throw new TraceFailure(`${resource ?? 'gateway'} not found; ${listing(known)}`);
  if (others.length === 0) return match;
  if (name === undefined) throw new TraceFailure(`more than one gateway; name one of them: ${names(matches)}`);
  return { namespace: undefined, name, ports: [...new Set(matches.flatMap(({ ports }) => ports))] };
}

function gatewayName(resource: string): string {
  const [kind, name, ...more] = resource.includes('/') ? resource.split('/') : ['gateway', resource];
  if (kind === undefined || !name || more.length > 0)
    throw new TraceFailure(`invalid resource ${resource}: expected gateway/NAME`);
  if (!GATEWAY_WORDS.has(kind.toLowerCase())) {
    throw new TraceFailure(`cannot trace ${resource}: this client has no cluster access and knows gateway/NAME only`);
  }
  return name;
}

const GATEWAY_WORDS: ReadonlySet<string> = new Set(['gateway', 'gateways', 'gtw']);

function inNamespace(gateway: KnownGateway, namespace: string | undefined): boolean {
  return namespace === undefined || gateway.namespace === namespace;
}

function listing(known: readonly KnownGateway[]): string {
  return known.length === 0 ? 'the proxy serves no gateway' : `the proxy serves: ${names(known)}`;
}

const MOST_NAMES = 20;

function names(gateways: readonly KnownGateway[]): string {
  const shown = gateways.slice(0, MOST_NAMES).map(({ namespace, name }) => `gateway/${name}.${namespace}`);
  return [...shown, ...(gateways.length > MOST_NAMES ? [`${gateways.length - MOST_NAMES} more`] : [])].join(', ');
}

/** Reads `{binds: [{port, listeners: [{gateway: {namespace, name}}]}]}`. */
function gatewaysOf(dump: unknown): KnownGateway[] {
  const found = new Map<string, { namespace: string; name: string; ports: number[] }>();
  for (const bind of arrayMember(dump, 'binds')) {
    const port = objectMember(bind, 'port');
    for (const listener of arrayMember(bind, 'listeners')) {
      const gateway = objectMember(listener, 'gateway');
      const namespace = stringMember(gateway, 'namespace');
      const name = stringMember(gateway, 'name');
      if (namespace === undefined || name === undefined || typeof port !== 'number') continue;
      const entry = found.get(`${namespace}/${name}`) ?? { namespace, name, ports: [] };
      found.set(`${namespace}/${name}`, entry);
      if (!entry.ports.includes(port)) entry.ports.push(port);
    }
  }
  return [...found.values()];
}

function arrayMember(value: unknown, name: string): readonly unknown[] {
  const member = objectMember(value, name);
  return Array.isArray(member) ? member : [];
}
