import { ListPromptsRequestSchema, ListToolsRequestSchema } from '@modelcontextprotocol/sdk/types.js';
import type { Client } from '@modelcontextprotocol/sdk/client/index.js';
import type { McpServer } from '@modelcontextprotocol/sdk/server/mcp.js';
import { expect, test } from 'vitest';
import { startDataPlane } from '../../support/data-plane.ts';
import { startMcpServer } from './support/mcp-server.ts';
import { connectClient, gateway, mcpSetup, target } from './support/setup.ts';

/*
 * MCP-001: lists that come in pages. One cursor stands for those of all targets that have more. docs/decisions/mcp-multiplexing.md
 */

test.each([
  ['as many pages each', 2, 2],
  ['one is at its end sooner', 1, 3],
  ['the other is', 4, 2],
])('the pages of two servers, %s', async (_, first, second) => {
  await using alpha = await startMcpServer({ serve: serve(first) });
  await using beta = await startMcpServer({ serve: serve(second) });
  await using plane = await startDataPlane((port) =>
    mcpSetup(port, { targets: [target('a', alpha.port), target('b', beta.port)] }),
  );
  await using through = await connectClient(gateway(plane.port));
  const pages = await pagesOf(through.client);
  expect(pages).toHaveLength(Math.max(first, second));
  expect(pages.flat().toSorted()).toEqual([
    ...Array.from({ length: first }, (__, page) => `a_tool${page}`),
    ...Array.from({ length: second }, (__, page) => `b_tool${page}`),
  ]);
  // Nobody is asked for a page behind its last one.
  const asked = [alpha, beta].map(({ seen }) => seen.filter(({ method }) => method === 'tools/list').length);
  expect(asked).toEqual([first, second]);
});

test('the cursor of one server is its own', async () => {
  await using alpha = await startMcpServer({ serve: serve(2) });
  await using plane = await startDataPlane((port) => mcpSetup(port, { targets: [target('a', alpha.port)] }));
  await using direct = await connectClient(alpha.url);
  await using through = await connectClient(gateway(plane.port));
  expect(await through.client.listTools()).toEqual(await direct.client.listTools());
  expect(await pagesOf(through.client)).toEqual([['tool0'], ['tool1']]);
});

test.each([
  ['of one of the servers', '1'],
  ['of nobody', '!'],
  ['that is empty', 'W10'],
  ['of a server that is not there', Buffer.from('[["z","1"]]').toString('base64url')],
])('a cursor %s is refused, and the session goes on', async (_, cursor) => {
  await using alpha = await startMcpServer({ serve: serve(2) });
  await using beta = await startMcpServer({ serve: serve(2) });
  await using plane = await startDataPlane((port) =>
    mcpSetup(port, { targets: [target('a', alpha.port), target('b', beta.port)] }),
  );
  await using through = await connectClient(gateway(plane.port));
  await expect(through.client.listTools({ cursor })).rejects.toThrow('unknown cursor');
  expect(await pagesOf(through.client)).toHaveLength(2);
});

async function pagesOf(client: Client): Promise<readonly (readonly string[])[]> {
  const pages: string[][] = [];
  let cursor: string | undefined;
  do {
    const page = await client.listTools(cursor === undefined ? {} : { cursor });
    pages.push(page.tools.map(({ name }) => name));
    cursor = page.nextCursor;
  } while (cursor !== undefined);
  return pages;
}

/** A server whose tools come one by one. */
function serve(pages: number): (server: McpServer) => void {
  return ({ server }) => {
    server.registerCapabilities({ tools: {}, prompts: {} });
    server.setRequestHandler(ListPromptsRequestSchema, () => ({ prompts: [] }));
    server.setRequestHandler(ListToolsRequestSchema, ({ params }) => {
      const page = Number(params?.cursor ?? 0);
      const more = page + 1 < pages ? { nextCursor: String(page + 1) } : {};
      return { tools: [{ name: `tool${page}`, inputSchema: { type: 'object' } }], ...more };
    });
  };
}
