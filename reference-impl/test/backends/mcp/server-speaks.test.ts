import type { Client } from '@modelcontextprotocol/sdk/client/index.js';
import type { McpServer } from '@modelcontextprotocol/sdk/server/mcp.js';
import {
  CreateMessageRequestSchema,
  ElicitRequestSchema,
  ListRootsRequestSchema,
  LoggingMessageNotificationSchema,
  PromptListChangedNotificationSchema,
  ResourceListChangedNotificationSchema,
  ResourceUpdatedNotificationSchema,
  ToolListChangedNotificationSchema,
} from '@modelcontextprotocol/sdk/types.js';
import { expect, test } from 'vitest';
import { z } from 'zod';
import { startDataPlane } from '../../support/data-plane.ts';
import { startMcpServer } from './support/mcp-server.ts';
import { connectClient, gateway, mcpSetup, target } from './support/setup.ts';

/*
 * MCP-001: what a server asks of a client and tells it while it works at a call, by the protocol's own library: the same from the
 * server itself, through the proxy, and from each of two targets.
 */

const ABILITIES = { sampling: {}, elicitation: {}, roots: {} };

const SAID = [
  ['sampling/createMessage', { messages: [], maxTokens: 5, systemPrompt: 's' }],
  ['elicitation/create', { message: 'who', requestedSchema: { properties: { name: { type: 'string' } } } }],
  ['roots/list', undefined],
  ['notifications/message', { level: 'error', data: 'logged' }],
  ['notifications/resources/updated', { uri: 'memo://note' }],
  ['notifications/tools/list_changed', undefined],
  ['notifications/prompts/list_changed', undefined],
  ['notifications/resources/list_changed', undefined],
];

test('one server, directly and through the proxy', async () => {
  await using server = await startMcpServer({ serve });
  await using plane = await startDataPlane((port) => mcpSetup(port, { targets: [target('a', server.port)] }));
  await using direct = await connectClient(server.url, ABILITIES);
  await using through = await connectClient(gateway(plane.port), ABILITIES);
  const wanted = await hearAll(direct.client, 'work');
  expect(wanted.said).toMatchObject(SAID);
  expect(await hearAll(through.client, 'work')).toEqual(wanted);
});

test('each of two servers, whose addresses alone differ', async () => {
  await using alpha = await startMcpServer({ serve });
  await using beta = await startMcpServer({ serve, json: false });
  await using plane = await startDataPlane((port) =>
    mcpSetup(port, { targets: [target('a', alpha.port), target('b', beta.port)] }),
  );
  await using direct = await connectClient(alpha.url, ABILITIES);
  await using through = await connectClient(gateway(plane.port), ABILITIES);
  const { answer, said } = await hearAll(direct.client, 'work');
  for (const name of ['a', 'b']) {
    const heard = await hearAll(through.client, `${name}_work`);
    expect(heard.answer).toEqual(answer);
    expect(heard.said).toEqual(
      said.map(([method, params]) =>
        method === 'notifications/resources/updated' ? [method, { uri: `${name}+memo://note` }] : [method, params],
      ),
    );
  }
});

/** Calls the tool, answers what it asks, and returns its answer and all that it said, in order. */
async function hearAll(
  client: Client,
  name: string,
): Promise<{ answer: unknown; said: (readonly [string, unknown])[] }> {
  const said: (readonly [string, unknown])[] = [];
  const hear = ({ method, params }: { readonly method: string; readonly params?: unknown }): void => {
    said.push([method, params]);
  };
  client.setRequestHandler(CreateMessageRequestSchema, (request) => {
    hear(request);
    return { model: 'm', role: 'assistant', content: { type: 'text', text: 'sampled' } };
  });
  client.setRequestHandler(ElicitRequestSchema, (request) => {
    hear(request);
    return { action: 'accept', content: { name: 'me' } };
  });
  client.setRequestHandler(ListRootsRequestSchema, (request) => {
    hear(request);
    return { roots: [{ uri: 'file:///a', name: 'a' }] };
  });
  client.setNotificationHandler(LoggingMessageNotificationSchema, hear);
  client.setNotificationHandler(ResourceUpdatedNotificationSchema, hear);
  client.setNotificationHandler(ToolListChangedNotificationSchema, hear);
  client.setNotificationHandler(PromptListChangedNotificationSchema, hear);
  client.setNotificationHandler(ResourceListChangedNotificationSchema, hear);
  return { answer: await client.callTool({ name }), said };
}

function serve(server: McpServer): void {
  server.registerTool('work', {}, async ({ sendRequest, sendNotification }) => {
    const anything = z.looseObject({});
    const requestedSchema = { type: 'object', properties: { name: { type: 'string' } } } as const;
    const answers = [
      await sendRequest(
        { method: 'sampling/createMessage', params: { messages: [], maxTokens: 5, systemPrompt: 's' } },
        anything,
      ),
      await sendRequest({ method: 'elicitation/create', params: { message: 'who', requestedSchema } }, anything),
      await sendRequest({ method: 'roots/list' }, anything),
    ];
    await sendNotification({ method: 'notifications/message', params: { level: 'error', data: 'logged' } });
    await sendNotification({ method: 'notifications/resources/updated', params: { uri: 'memo://note' } });
    await sendNotification({ method: 'notifications/tools/list_changed' });
    await sendNotification({ method: 'notifications/prompts/list_changed' });
    await sendNotification({ method: 'notifications/resources/list_changed' });
    return { content: [{ type: 'text', text: JSON.stringify(answers) }] };
  });
  server.registerPrompt('greet', {}, () => ({ messages: [] }));
  server.registerResource('note', 'memo://note', {}, () => ({ contents: [] }));
}
