import type { AdminRequest } from './endpoint.ts';

/**
 * Whether the caller has the document of that tag already, and is told so with a 304: to write the whole configuration takes
 * time in which no request is served. Otherwise the answer, whoever gives it, will have the tag.
 */
export function isKnown({ request, response }: AdminRequest, tag: string): boolean {
  response.setHeader('etag', `"${tag}"`);
  if (request.headers['if-none-match'] !== `"${tag}"`) return false;
  response.writeHead(304, { 'cache-control': 'no-store' });
  response.end();
  return true;
}
