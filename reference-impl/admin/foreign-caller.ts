import type { IncomingHttpHeaders } from 'node:http';

/**
 * Loopback keeps other machines out, not web pages: a page may point its own name at 127.0.0.1 (then `Host` is
 * foreign) or send a form here (then `Origin` is). Returns why the caller is refused, or undefined.
 */
export function foreignCaller(headers: IncomingHttpHeaders): string | undefined {
  if (headers.host !== undefined && !isLocal(headers.host)) return 'host not allowed: use localhost or 127.0.0.1';
  const { origin } = headers;
  if (origin !== undefined && !isLocal(origin.replace(/^https?:\/\//, ''))) return 'origin not allowed';
  return undefined;
}

function isLocal(authority: string): boolean {
  return LOCAL_NAMES.has(authority.replace(/:\d*$/, '').toLowerCase());
}

const LOCAL_NAMES: ReadonlySet<string> = new Set(['localhost', '127.0.0.1', '[::1]']);
