// A server of `@modelcontextprotocol/sdk`.
import { completable } from '@modelcontextprotocol/sdk/server/completable.js';
import { McpServer, ResourceTemplate } from '@modelcontextprotocol/sdk/server/mcp.js';
import { StreamableHTTPServerTransport } from '@modelcontextprotocol/sdk/server/streamableHttp.js';
import { z } from 'zod';
import { INTRODUCED, offer } from './offer.mjs';
import { serve, withSessions } from './serve.mjs';

const ANYTHING = z.looseObject({});

serve(
  withSessions(StreamableHTTPServerTransport, (transport) => {
    const server = new McpServer({ name: 'server-1', version: '1.0.0' }, INTRODUCED);
    offer(server, { completable, ResourceTemplate, speak });
    return server.connect(transport);
  }),
);

function speak({ sendNotification, sendRequest, _meta }) {
  const notify = (method, params) => sendNotification({ method, params });
  return {
    token: _meta?.progressToken ?? 0,
    notify,
    ask: (method, params) => sendRequest({ method, params }, ANYTHING),
    log: (data) => notify('notifications/message', { level: 'info', data }),
  };
}
