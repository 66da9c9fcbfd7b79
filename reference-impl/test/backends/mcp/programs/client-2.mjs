// A client of `@modelcontextprotocol/client`, which begins with `initialize` or with `server/discover`.
import { Client, SSEClientTransport, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { ANSWERS, followStandardInput, TOLD } from './follow.mjs';

await followStandardInput(async ({ url, transport, mode }, hear) => {
  const capabilities = { sampling: {}, elicitation: {}, roots: {} };
  const client = new Client({ name: 'client-2', version: '1.0.0' }, { capabilities, versionNegotiation: { mode } });
  for (const [method, answer] of Object.entries(ANSWERS)) {
    client.setRequestHandler(method, ({ params }) => {
      hear(method, params);
      return answer;
    });
  }
  for (const method of TOLD) client.setNotificationHandler(method, ({ params }) => hear(method, params));
  const place = new URL(url);
  await client.connect(transport === 'sse' ? new SSEClientTransport(place) : new StreamableHTTPClientTransport(place));
  return { client, call: (params, options) => client.callTool(params, options) };
});
