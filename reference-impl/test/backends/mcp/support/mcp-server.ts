import { randomUUID } from 'node:crypto';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { z } from 'zod';
import { listen } from './listen.ts';
import { InMemoryEventStore } from '@modelcontextprotocol/sdk/examples/shared/inMemoryEventStore.js';
import { McpServer } from '@modelcontextprotocol/sdk/server/mcp.js';
import { StreamableHTTPServerTransport } from '@modelcontextprotocol/sdk/server/streamableHttp.js';

/** A server of the protocol's own library, with what it saw. */
export interface McpPeer extends AsyncDisposable {
  readonly port: number;
  readonly url: URL;
  /** Method of HTTP, then that of the message. */
  readonly seen: readonly Seen[];
  /** Of sessions that live now. */
  readonly sessions: () => readonly string[];
}

export interface Seen {
  readonly http: string;
  readonly path: string;
  readonly method: string | undefined;
  readonly message: z.infer<typeof MESSAGE> | undefined;
  readonly headers: IncomingMessage['headers'];
}

const MESSAGE = z.looseObject({
  id: z.union([z.string(), z.number()]).optional(),
  method: z.string().optional(),
  params: z.looseObject({}).optional(),
});

export interface PeerOptions {
  /** Registers what one session serves. */
  readonly serve: (server: McpServer) => void;
  readonly name?: string;
  readonly instructions?: string;
  readonly json?: boolean;
  /** Without it every request has a server of its own. */
  readonly stateless?: boolean;
  readonly port?: number;
  /** Its events have ids, and clients can come back for those they missed. */
  readonly resumable?: boolean;
}

export async function startMcpServer(options: PeerOptions): Promise<McpPeer> {
  const { serve, name = 'peer', instructions, json = false } = options;
  const seen: Seen[] = [];
  const transports = new Map<string, StreamableHTTPServerTransport>();

  const open = async (): Promise<StreamableHTTPServerTransport> => {
    const transport: StreamableHTTPServerTransport = new StreamableHTTPServerTransport({
      ...(options.stateless === true ? {} : { sessionIdGenerator: () => randomUUID() }),
      enableJsonResponse: json,
      ...(options.resumable === true ? { eventStore: new InMemoryEventStore() } : {}),
      onsessioninitialized: (id) => void transports.set(id, transport),
      onsessionclosed: (id) => void transports.delete(id),
    });
    const server = new McpServer(
      { name, version: '1.0.0' },
      {
        capabilities: { logging: {}, resources: { subscribe: true } },
        ...(instructions === undefined ? {} : { instructions }),
      },
    );
    serve(server);
    await server.connect(transport);
    return transport;
  };

  const handle = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const text = await bodyOf(request);
    const message = text === '' ? undefined : MESSAGE.parse(JSON.parse(text));
    seen.push({
      http: request.method ?? '',
      path: request.url ?? '',
      method: message?.method,
      message,
      headers: request.headers,
    });
    const id = request.headers['mcp-session-id'];
    const known = typeof id === 'string' ? transports.get(id) : undefined;
    if (typeof id === 'string' && known === undefined) {
      response.writeHead(404).end('no such session');
      return;
    }
    await (known ?? (await open())).handleRequest(request, response, message);
  };

  const server = createServer((request, response) => {
    handle(request, response).catch(() => response.destroy());
  });
  const port = await listen(server, options.port);
  return {
    port,
    url: new URL(`http://127.0.0.1:${port}/mcp`),
    seen,
    sessions: () => [...transports.keys()],
    [Symbol.asyncDispose]: async () => {
      await Promise.all([...transports.values()].map((transport) => transport.close()));
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

async function bodyOf(request: IncomingMessage): Promise<string> {
  let text = '';
  request.setEncoding('utf8');
  for await (const chunk of request) text += String(chunk);
  return text;
}
