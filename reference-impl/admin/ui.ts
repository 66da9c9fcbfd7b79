import { readFile } from 'node:fs/promises';
import { extname, join } from 'node:path';
import type { Endpoint } from './endpoint.ts';

/** TRACE-062: serves one file of the page that is built from `ui/`. It needs nothing from any other host. */
export function uiFile(name: string): Endpoint {
  return async ({ response }) => {
    const content = await readFile(join(import.meta.dirname, 'ui', 'built', name));
    response.writeHead(200, {
      'content-type': CONTENT_TYPES[extname(name)] ?? 'application/octet-stream',
      'content-security-policy': POLICY,
      'x-content-type-options': 'nosniff',
      'referrer-policy': 'no-referrer',
      'cross-origin-opener-policy': 'same-origin',
      'cross-origin-resource-policy': 'same-origin',
      'cache-control': 'no-cache',
    });
    response.end(content);
  };
}

const CONTENT_TYPES: Readonly<Record<string, string>> = {
  '.html': 'text/html; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
};

const POLICY = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "connect-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
  "require-trusted-types-for 'script'",
  "trusted-types 'none'",
].join('; ');
