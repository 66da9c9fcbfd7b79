import type { Service, ServicePort } from '../../resources/core/service.ts';
import { namespaceOf } from '../../resources/envelope.ts';
import type { ProxyBackend } from '../../resources/proxy-backend/backend.ts';
import type { McpTarget, McpTargetSelector } from '../../resources/proxy-backend/variants/mcp.ts';
import type { Snapshot } from '../../store/snapshot.ts';
import { namespaceLabels, selects } from '../namespaces.ts';
import type { McpTransport, Referrer, ResolveBackend, ResolvedMcpTarget } from './resolved-backend.ts';

/** The servers of an mcp backend, in the order of its targets. docs/decisions/mcp-targets.md */
export function mcpTargets(
  { spec }: ProxyBackend,
  from: Referrer,
  snapshot: Snapshot,
  resolve: ResolveBackend,
): readonly ResolvedMcpTarget[] {
  return (spec.mcp?.targets ?? []).flatMap((target) => {
    if (target.static !== undefined) return [staticTarget(target.name, target.static, from, resolve)];
    return selectedTargets(target, from, snapshot, resolve);
  });
}

/** MCP-023, MCP-024; MCP-028: without `protocol` it is streamable HTTP. */
function staticTarget(name: string, target: McpTarget, from: Referrer, resolve: ResolveBackend): ResolvedMcpTarget {
  const { host, backendRef, port, protocol: transport = 'StreamableHTTP', path = PATHS[transport], policies } = target;
  const place = { name, section: name, transport, path: path.startsWith('/') ? path : `/${path}`, policies };
  // MCP-022
  if (backendRef !== undefined) return { ...place, ...behindService(backendRef.name, port, from, resolve) };
  const endpoints = host === undefined ? [] : [{ kind: 'tcp', host, port } as const];
  return { ...place, service: undefined, appProtocol: undefined, endpoints };
}

const PATHS: Readonly<Record<McpTransport, string>> = { StreamableHTTP: '/mcp', SSE: '/sse' };

function behindService(
  name: string,
  port: number,
  from: Referrer,
  resolve: ResolveBackend,
): Pick<ResolvedMcpTarget, 'endpoints' | 'appProtocol' | 'service'> {
  const found = resolve(from, { name, port });
  if ('unresolved' in found) return { endpoints: [], appProtocol: undefined, service: undefined };
  const { endpoints, appProtocol, target, sections } = found;
  return { endpoints, appProtocol, service: { target, sections } };
}

/** MCP-019: one server per Service and port that is found; several carry the name of their Service as well. */
function selectedTargets(
  { name, selector = {} }: McpTargetSelector,
  from: Referrer,
  snapshot: Snapshot,
  resolve: ResolveBackend,
): readonly ResolvedMcpTarget[] {
  const found = selectServices(selector, from, snapshot).flatMap((service) =>
    mcpPorts(service).map((port) => ({ service, port, transport: transportOf(port) ?? 'StreamableHTTP' })),
  );
  const names = distinctNames(found);
  return found.map(({ service, port, transport }, at) => ({
    name: found.length === 1 ? name : `${name}-${names[at] ?? ''}`,
    section: name,
    transport,
    path: PATHS[transport],
    policies: undefined,
    // The selector is what permits the way into another namespace, so the Service is resolved from its own.
    ...behindService(service.metadata.name, port.port, { ...from, namespace: namespaceOf(service) }, resolve),
  }));
}

/** In the order of their namespaces and names, so that a list does not change with the order of the configuration. */
function selectServices(
  { namespaces, services = {} }: NonNullable<McpTargetSelector['selector']>,
  from: Referrer,
  snapshot: Snapshot,
): readonly Service[] {
  const labelsOf = namespaceLabels(snapshot);
  // MCP-020, MCP-021
  const isNear = (namespace: string): boolean =>
    namespaces === undefined ? namespace === from.namespace : selects(namespaces, labelsOf(namespace));
  return snapshot
    .byKind('Service')
    .filter((service) => isNear(namespaceOf(service)) && selects(services, service.metadata.labels ?? {}))
    .toSorted((a, b) => (pathOf(a) < pathOf(b) ? -1 : 1));
}

function pathOf(service: Service): string {
  return `${namespaceOf(service)}/${service.metadata.name}`;
}

/** The ports that say MCP; of a Service that says nothing the first. */
function mcpPorts({ spec: { ports = [] } }: Service): readonly ServicePort[] {
  const marked = ports.filter((port) => transportOf(port) !== undefined);
  return marked.length > 0 ? marked : ports.slice(0, 1);
}

/** `appProtocol` is a name, or a name behind the domain of who gave it. */
function transportOf({ appProtocol = '' }: ServicePort): McpTransport | undefined {
  const word = appProtocol.slice(appProtocol.lastIndexOf('/') + 1);
  if (word === 'mcp-sse') return 'SSE';
  return word === 'mcp' ? 'StreamableHTTP' : undefined;
}

interface Found {
  readonly service: Service;
  readonly port: ServicePort;
}

/** The name of the Service, with more of what it is where that is not enough. */
function distinctNames(found: readonly Found[]): readonly string[] {
  const forms: readonly ((one: Found) => string)[] = [
    ({ service }) => service.metadata.name,
    ({ service }) => `${service.metadata.name}-${namespaceOf(service)}`,
  ];
  const form = forms.find((each) => new Set(found.map(each)).size === found.length);
  if (form !== undefined) return found.map(form);
  return found.map(({ service, port }) => `${service.metadata.name}-${namespaceOf(service)}-${port.port}`);
}
