/** A web origin: what a browser sends as `Origin`, and what a policy lists. */
export interface Origin {
  /** In lower case. */
  readonly scheme: string;
  /** In lower case; an IPv6 literal keeps its brackets. */
  readonly host: string;
  /** The one that is written, else the scheme's own; empty when the scheme has none. */
  readonly port: string;
}

/** The parts of `scheme://host` or `scheme://host:port`; undefined for `null` and for everything else. */
export function parseOrigin(text: string): Origin | undefined {
  const match = ORIGIN.exec(text);
  if (match === null) return undefined;
  const [, scheme = '', host = '', port = ''] = match;
  return { scheme: scheme.toLowerCase(), host: host.toLowerCase(), port: effectivePort(scheme.toLowerCase(), port) };
}

export function isSameOrigin(one: Origin, other: Origin): boolean {
  return one.scheme === other.scheme && one.host === other.host && one.port === other.port;
}

/** `*` may stand in the host, for patterns of origins. */
const ORIGIN = /^([a-z][a-z0-9+.-]*):\/\/(\[[0-9a-f:.]+\]|[a-z0-9._*-]+)(?::([0-9]{1,5}))?$/i;

const DEFAULT_PORTS: Readonly<Record<string, string>> = { http: '80', https: '443' };

function effectivePort(scheme: string, port: string): string {
  return port === '' ? (DEFAULT_PORTS[scheme] ?? '') : String(Number(port));
}
