// A server of the protocol's own library that does no work: node bench/contenders/mcp-server.ts PORT
import { randomUUID } from 'node:crypto';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { McpServer } from '@modelcontextprotocol/sdk/server/mcp.js';
import { StreamableHTTPServerTransport } from '@modelcontextprotocol/sdk/server/streamableHttp.js';

const TEXT = 'word '.repeat(160);
const sessions = new Map<string, StreamableHTTPServerTransport>();

// Nothing here is about connections that end while they are idle.
createServer({ keepAliveTimeout: 0 }, (request, response) => {
  void handle(request, response);
}).listen(Number(process.argv[2]), '127.0.0.1', () => {
  console.log('ready');
});

async function handle(request: IncomingMessage, response: ServerResponse): Promise<void> {
  const id = request.headers['mcp-session-id'];
  const transport = typeof id === 'string' ? sessions.get(id) : await open();
  if (transport === undefined) response.writeHead(404).end();
  else await transport.handleRequest(request, response);
}

async function open(): Promise<StreamableHTTPServerTransport> {
  const transport = new StreamableHTTPServerTransport({
    sessionIdGenerator: () => randomUUID(),
    onsessioninitialized: (id) => void sessions.set(id, transport),
    onsessionclosed: (id) => void sessions.delete(id),
  });
  const server = new McpServer({ name: 'bench', version: '1.0.0' });
  server.registerTool('say', {}, () => ({ content: [{ type: 'text', text: TEXT }] }));
  await server.connect(transport);
  return transport;
}
