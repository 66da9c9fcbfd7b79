import { gatewayAt, proxyResource, routeTo, writeResources } from '../resources.ts';

/** Path and name of the called tool, by how many targets there are: each is the one server, under another name. */
export const ROUTES = {
  one: { path: '/one', targets: 1, tool: 'say' },
  ten: { path: '/ten', targets: 10, tool: 't5_say' },
} as const;

/** Writes the configuration of a reference with a backend of one target and a backend of ten. */
export function writeMcpConfiguration(folder: string, port: number, server: number): void {
  const served = { host: '127.0.0.1', port: server, protocol: 'StreamableHTTP' };
  const resources = Object.entries(ROUTES).flatMap(([name, { path, targets: count }]) => {
    const targets = Array.from({ length: count }, (_, index) => ({ name: `t${index}`, static: served }));
    return [routeTo(name, path), proxyResource('ProxyBackend', name, { mcp: { targets } })];
  });
  writeResources(folder, 'mcp.yaml', [gatewayAt(port), ...resources]);
}
