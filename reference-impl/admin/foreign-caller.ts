import type { IncomingHttpHeaders } from 'node:http';

/**
 * Loopback keeps other machines out, not web pages: a page may point its own name at 127.0.0.1 (then `Host` is
 * foreign) or send a form here (then `Origin` is). A page of another port of this machine, such as one the proxy itself
 * serves, is foreign too: the origin must be the host and port that were asked. Returns why the caller is refused, or
 * undefined. docs/decisions/resource-api.md
 */
export function foreignCaller({ host, origin }: IncomingHttpHeaders): string | undefined {
  if (host !== undefined && !isLocal(host)) return 'host not allowed: use localhost or 127.0.0.1';
  if (origin !== undefined && authorityOf(origin) !== host?.toLowerCase()) return 'origin not allowed';
  return undefined;
}

function isLocal(authority: string): boolean {
  return LOCAL_NAMES.has(authority.replace(/:\d*$/, '').toLowerCase());
}

const LOCAL_NAMES: ReadonlySet<string> = new Set(['localhost', '127.0.0.1', '[::1]']);

/** `localhost:15000` of `http://localhost:15000`; what is no origin of the web, such as `null`, stays as it is. */
function authorityOf(origin: string): string {
  return origin.toLowerCase().replace(/^https?:\/\//, '');
}
