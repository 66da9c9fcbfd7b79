import type { View } from '../attachment/view.ts';

/** Which gateway a watcher asks for; without namespace the name counts in every namespace. */
export interface GatewaySelection {
  readonly namespace: string | undefined;
  readonly name: string;
}

/** Reads `name` or `namespace/name`; undefined when it is neither. */
export function parseGatewaySelection(text: string): GatewaySelection | undefined {
  const match = /^(?:([^/]+)\/)?([^/]+)$/.exec(text);
  const name = match?.[2];
  return name === undefined ? undefined : { namespace: match?.[1], name };
}

/**
 * CLI-031: whether a request for `host` on `port` reaches the gateway. A host that no listener of the port claims
 * reaches every gateway of the port: "why is this a 404" is what such a watcher wants to see.
 */
export function reachesGateway(view: View, selection: GatewaySelection, port: number, host: string): boolean {
  const bind = view.binds.get(port);
  const claimed = bind?.selectListener(withoutPort(host));
  const candidates = claimed === undefined ? (bind?.listeners ?? []) : [claimed];
  return candidates.some(
    ({ gateway }) =>
      gateway.name === selection.name &&
      (selection.namespace === undefined || gateway.namespace === selection.namespace),
  );
}

/** `host[:port]` without the port; an IPv6 address keeps its brackets. */
function withoutPort(authority: string): string {
  return authority.replace(/:\d*$/, '');
}
