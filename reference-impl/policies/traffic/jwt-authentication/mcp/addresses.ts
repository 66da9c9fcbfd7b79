import type { Received } from '../../../../exchange/exchange.ts';
import { splitTarget } from '../../../../exchange/request-state.ts';

/** RFC 9728 and RFC 8414: where clients look first. docs/decisions/mcp-oauth.md */
export const RESOURCE = '/.well-known/oauth-protected-resource';
export const SERVER = '/.well-known/oauth-authorization-server';

/** What a discovery path is about: the path of the resource, empty for the root. */
export function below(prefix: string, path: string): string | undefined {
  if (path === prefix) return '';
  return path.startsWith(`${prefix}/`) ? path.slice(prefix.length) : undefined;
}

/** The path the client asked for, whatever policies made of it. */
export function askedPath({ asked }: Received): string {
  return splitTarget(asked.target).path;
}

/** Scheme and authority under which the client knows the proxy. */
export function origin({ asked }: Received): string {
  const forwarded = asked.headers.get('x-forwarded-proto');
  const scheme = forwarded === 'http' || forwarded === 'https' ? forwarded : asked.scheme;
  return `${scheme}://${asked.authority}`;
}
