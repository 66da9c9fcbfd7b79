// A server of `@modelcontextprotocol/server`, with sessions for revisions that have them and by request for the others.
import { NodeStreamableHTTPServerTransport, toNodeHandler, toWebRequest } from '@modelcontextprotocol/node';
import {
  completable,
  createMcpHandler,
  isLegacyRequest,
  McpServer,
  ResourceTemplate,
} from '@modelcontextprotocol/server';
import { z } from 'zod';
import { INTRODUCED, offer } from './offer.mjs';
import { serve, withSessions } from './serve.mjs';

const ANYTHING = z.looseObject({});

const bySession = withSessions(NodeStreamableHTTPServerTransport, (transport) => introduce().connect(transport));
const byRequestHandler = createMcpHandler(introduce, { legacy: 'reject' });
const byRequest = toNodeHandler(byRequestHandler);

serve(async (request, response, message) => {
  const hasSessions = await isLegacyRequest(await toWebRequest(request, message));
  return (hasSessions ? bySession : byRequest)(request, response, message);
});

function introduce() {
  const server = new McpServer({ name: 'server-2', version: '1.0.0' }, INTRODUCED);
  offer(server, { completable, ResourceTemplate, speak });
  server.registerTool('tell', {}, () => {
    byRequestHandler.notify.resourceUpdated('memo://note');
    byRequestHandler.notify.toolsChanged();
    return { content: [] };
  });
  return server;
}

function speak({ mcpReq: { _meta: meta, ...mcpReq } }) {
  return {
    token: meta?.progressToken ?? 0,
    notify: (method, params) => mcpReq.notify({ method, params }),
    ask: (method, params) => mcpReq.send({ method, params }, ANYTHING),
    log: (data) => mcpReq.notify({ method: 'notifications/message', params: { level: 'info', data } }),
  };
}
