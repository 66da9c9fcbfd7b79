import type { McpServer } from '@modelcontextprotocol/sdk/server/mcp.js';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type DataPlane, startDataPlane } from '../../support/data-plane.ts';
import { type McpPeer, startMcpServer } from './support/mcp-server.ts';
import { connectClient, gateway, mcpSetup, target } from './support/setup.ts';

/*
 * MCP-030 to MCP-034. The code of a refusal is the reference's own (MCP-035).
 */

let alpha: McpPeer;
let beta: McpPeer;

beforeAll(async () => {
  [alpha, beta] = await Promise.all([startMcpServer({ serve }), startMcpServer({ serve })]);
});

afterAll(async () => {
  await Promise.all([alpha[Symbol.asyncDispose](), beta[Symbol.asyncDispose]()]);
});

describe('rules for items', () => {
  test('lists keep what may be used, and nothing else is called', async () => {
    await using plane = await guarded('Allow', 'mcp.tool.name == "read" || mcp.prompt.name == "greet"');
    await using through = await connectClient(gateway(plane.port));
    const { client } = through;
    expect((await client.listTools()).tools.map(({ name }) => name)).toEqual(['a_read', 'b_read']);
    expect((await client.listPrompts()).prompts.map(({ name }) => name)).toEqual(['a_greet', 'b_greet']);
    expect((await client.listResources()).resources).toEqual([]);
    expect(await client.callTool({ name: 'a_read' })).toMatchObject({ content: [] });
    const before = alpha.seen.length;
    await expect(client.callTool({ name: 'a_write' })).rejects.toThrow('Unknown tool: a_write');
    await expect(client.readResource({ uri: 'a+memo://note' })).rejects.toThrow('Unknown resource: a+memo://note');
    await expect(client.subscribeResource({ uri: 'a+memo://note' })).rejects.toThrow('Unknown resource: a+memo://note');
    const ref = { type: 'ref/resource', uri: 'a+memo://note' } as const;
    await expect(client.complete({ ref, argument: { name: 'x', value: '' } })).rejects.toThrow('Unknown resource');
    await expect(client.callTool({ name: 'c_read' })).rejects.toThrow('Unknown tool: c_read');
    expect(alpha.seen.length).toBe(before);
  });

  test('one target of two', async () => {
    await using plane = await guarded('Deny', 'mcp.tool.target == "b" && mcp.tool.name == "write"');
    await using through = await connectClient(gateway(plane.port));
    expect((await through.client.listTools()).tools.map(({ name }) => name)).toEqual(['a_read', 'a_write', 'b_read']);
    expect((await through.client.listPrompts()).prompts).toHaveLength(2);
    expect(await through.client.callTool({ name: 'a_write' })).toMatchObject({ content: [] });
    await expect(through.client.callTool({ name: 'b_write' })).rejects.toThrow('Unknown tool: b_write');
  });

  test('a Require rule about tools leaves nothing else', async () => {
    await using plane = await guarded('Require', 'mcp.tool.name == "write"');
    await using through = await connectClient(gateway(plane.port));
    expect((await through.client.listTools()).tools.map(({ name }) => name)).toEqual(['a_write', 'b_write']);
    expect((await through.client.listPrompts()).prompts).toEqual([]);
  });

  test('a name that one target may not show belongs to the other', async () => {
    await using plane = await guarded('Deny', 'mcp.tool.target == "b" && mcp.tool.name == "write"', {
      prefixMode: 'Never',
    });
    await using through = await connectClient(gateway(plane.port));
    expect((await through.client.listTools()).tools.map(({ name }) => name)).toEqual(['write']);
    const before = beta.seen.filter(({ method }) => method === 'tools/call').length;
    expect(await through.client.callTool({ name: 'write' })).toMatchObject({ content: [] });
    expect(beta.seen.filter(({ method }) => method === 'tools/call').length).toBe(before);
  });

  test('arguments, method, headers and the body', async () => {
    await using plane = await guarded(
      'Allow',
      'mcp.methodName == "tools/list" || (mcp.tool.arguments.path == "/tmp" && request.headers["x-who"] == "me" && json(request.body).params.arguments.path == "/tmp")',
    );
    await using through = await connectClient(gateway(plane.port), {}, { 'x-who': 'me' });
    await using other = await connectClient(gateway(plane.port), {}, { 'x-who': 'you' });
    const call = { name: 'a_write', arguments: { path: '/tmp' } };
    expect(await through.client.callTool(call)).toMatchObject({ content: [] });
    await expect(other.client.callTool(call)).rejects.toThrow('Unknown tool');
    await expect(through.client.callTool({ ...call, arguments: { path: '/etc' } })).rejects.toThrow('Unknown tool');
  });
});

function guarded(action: string, expression: string, more: object = {}): Promise<DataPlane> {
  const authorization = { action, policy: { matchExpressions: [expression] } };
  const targets = [target('a', alpha.port), target('b', beta.port)];
  return startDataPlane((port) => mcpSetup(port, { targets, ...more }, { mcp: { authorization } }));
}

function serve(server: McpServer): void {
  for (const name of ['read', 'write']) server.registerTool(name, {}, () => ({ content: [] }));
  server.registerPrompt('greet', {}, () => ({ messages: [] }));
  server.registerResource('note', 'memo://note', {}, (uri) => ({ contents: [{ uri: uri.href, text: '' }] }));
}
