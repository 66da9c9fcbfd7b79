import type { IncomingHttpHeaders } from 'node:http';

/** What the script of the page sets; a script of another origin may only do so after asking, and is told no. */
const PAGE_HEADER = 'x-refproxy-page';

/**
 * Whoever may make the proxy send requests has to be its own page: the origin is told (that it is ours, `foreignCaller` has
 * seen), the page's own header is there, and the body has a type that no form of another site can have. Returns why the caller
 * is refused, or undefined. docs/security/admin.md
 */
export function notThePage(headers: IncomingHttpHeaders): string | undefined {
  if (headers.origin === undefined) return 'only the page at /ui may send requests: no origin';
  if ((headers['sec-fetch-site'] ?? 'same-origin') !== 'same-origin') return 'only the page at /ui may send requests';
  if (headers[PAGE_HEADER] === undefined) return `only the page at /ui may send requests: no ${PAGE_HEADER}`;
  if (headers['content-type'] !== 'application/json') return 'only JSON is read here';
  return undefined;
}
