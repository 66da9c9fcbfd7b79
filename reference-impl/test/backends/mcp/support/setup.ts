import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import { simpleSetup } from '../../../support/data-plane.ts';

/** The resources of `simpleSetup` with an mcp backend. */
export function mcpSetup(port: number, mcp: object, policies?: object): object[] {
  return simpleSetup(port, 1).map((object) =>
    'kind' in object && object.kind === 'ProxyBackend'
      ? { ...object, spec: { mcp, ...(policies && { policies }) } }
      : object,
  );
}

/** A target by host and port. */
export function target(name: string, port: number, more: object = {}): object {
  return { name, static: { host: '127.0.0.1', port, ...more } };
}

/** A client of the protocol's own library, connected. */
export async function connectClient(
  url: URL,
  capabilities: object = {},
  headers: Record<string, string> = {},
): Promise<Connected> {
  const client = new Client({ name: 'test', version: '1.0.0' }, { capabilities });
  const transport = new StreamableHTTPClientTransport(url, { requestInit: { headers } });
  await client.connect(transport);
  return { client, transport, [Symbol.asyncDispose]: () => client.close() };
}

export interface Connected extends AsyncDisposable {
  readonly client: Client;
  readonly transport: StreamableHTTPClientTransport;
}

export function gateway(port: number): URL {
  return new URL(`http://127.0.0.1:${port}/mcp`);
}
