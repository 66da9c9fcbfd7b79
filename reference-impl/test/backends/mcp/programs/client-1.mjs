// A client of `@modelcontextprotocol/sdk`. It knows no revision without sessions.
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { SSEClientTransport } from '@modelcontextprotocol/sdk/client/sse.js';
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import {
  CreateMessageRequestSchema,
  ElicitRequestSchema,
  ListRootsRequestSchema,
} from '@modelcontextprotocol/sdk/types.js';
import { ANSWERS, followStandardInput } from './follow.mjs';

const ASKED = [CreateMessageRequestSchema, ElicitRequestSchema, ListRootsRequestSchema];

await followStandardInput(async ({ url, transport }, hear) => {
  const capabilities = { sampling: {}, elicitation: {}, roots: {} };
  const client = new Client({ name: 'client-1', version: '1.0.0' }, { capabilities });
  for (const schema of ASKED) {
    client.setRequestHandler(schema, ({ method, params }) => {
      hear(method, params);
      return ANSWERS[method];
    });
  }
  client.fallbackNotificationHandler = async ({ method, params }) => hear(method, params);
  const place = new URL(url);
  await client.connect(transport === 'sse' ? new SSEClientTransport(place) : new StreamableHTTPClientTransport(place));
  return { client, call: (params, options) => client.callTool(params, undefined, options) };
});
