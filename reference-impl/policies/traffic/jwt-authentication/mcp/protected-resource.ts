import type { Answer, Received } from '../../../../exchange/exchange.ts';
import { origin } from './addresses.ts';
import { documentAnswer } from './documents.ts';
import { isFront, type OAuth } from './oauth.ts';

/** MCPAUTH-001: what RFC 9728 calls the metadata of a protected resource; `path` is that of the resource. */
export function protectedResource(exchange: Received, oauth: OAuth, path: string): Answer {
  const resource = `${origin(exchange)}${path}`;
  return documentAnswer(200, {
    resource,
    authorization_servers: [isFront(oauth) ? resource : oauth.issuer],
    mcp_protocol_version: '2025-06-18',
    resource_type: 'mcp-server',
    ...configuredMembers(oauth),
  });
}

/** MCPAUTH-004: they go before what the proxy says by itself. */
function configuredMembers({ resourceMetadata }: OAuth): object {
  const members = Object.entries(resourceMetadata).map(([name, value]) => [snakeCase(name), value] as const);
  return Object.fromEntries(members.toSorted(([a], [b]) => (a < b ? -1 : 1)));
}

/** Members of the document are written so, whichever way a configuration writes them. */
function snakeCase(name: string): string {
  return name.replace(/[A-Z]/g, (letter, at: number) => `${at === 0 ? '' : '_'}${letter.toLowerCase()}`);
}
