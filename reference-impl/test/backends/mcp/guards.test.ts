import { Buffer } from 'node:buffer';
import { Code, ConnectError } from '@connectrpc/connect';
import type { McpServer } from '@modelcontextprotocol/sdk/server/mcp.js';
import { z } from 'zod';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { phases } from '../../../backends/mcp/guards/phase.ts';
import { AuthorizationError_Code } from '../../../upstream/wire/ext_mcp_pb.js';
import { type DataPlane, startDataPlane } from '../../support/data-plane.ts';
import { type GuardPeer, startGuard } from './support/guard-server.ts';
import { type McpPeer, startMcpServer } from './support/mcp-server.ts';
import { type Connected, connectClient, gateway, mcpSetup, target } from './support/setup.ts';

/*
 * GUARDMCP: what guards are asked, and what becomes of what they say. Codes and texts are the reference's own
 * (GUARDMCP-022, GUARDMCP-025).
 */

let alpha: McpPeer;
let beta: McpPeer;

beforeAll(async () => {
  [alpha, beta] = await Promise.all([startMcpServer({ serve }), startMcpServer({ serve })]);
});

afterAll(async () => {
  await Promise.all([alpha[Symbol.asyncDispose](), beta[Symbol.asyncDispose]()]);
});

describe('methods and phases', () => {
  test('the guard sees what its phases say, with params and result', async () => {
    await using guard = await startGuard();
    await using plane = await guarded([
      processor(guard, {
        'tools/call': 'Full',
        'tools/list': 'Off',
        'tools/*': 'Full',
        '*/list': 'Response',
        ping: 'Request',
      }),
    ]);
    await using through = await connectClient(gateway(plane.port));
    const { client } = through;
    await client.listTools();
    await client.listPrompts();
    await client.ping();
    await client.callTool({ name: 'echo', arguments: { text: 'hi' } });
    expect(guard.asked.map(({ check, asked }) => [check, asked.method])).toEqual([
      ['response', 'prompts/list'],
      ['request', 'ping'],
      ['request', 'tools/call'],
      ['response', 'tools/call'],
    ]);
    const [, , call, result] = guard.asked;
    expect(call?.check === 'request' && json(call.asked.mcpRequest)).toMatchObject({
      name: 'echo',
      arguments: { text: 'hi' },
    });
    expect(result?.check === 'response' && json(result.asked.mcpResponse)).toEqual({
      content: [{ type: 'text', text: 'hi' }],
    });
    expect(call?.asked.serviceNames).toEqual(['a']);
  });

  test('the key * stands for every method, notifications too', async () => {
    await using guard = await startGuard();
    await using plane = await guarded([processor(guard, { '*': 'Full' })]);
    await using through = await connectClient(gateway(plane.port));
    await through.client.ping();
    expect(guard.asked.map(({ check, asked }) => `${asked.method} ${check}`)).toEqual([
      'initialize request',
      'initialize response',
      'notifications/initialized request',
      'ping request',
      'ping response',
    ]);
  });

  test('without sessions too', async () => {
    await using guard = await startGuard();
    await using plane = await guarded([processor(guard, { 'tools/call': 'Full' })], { sessionRouting: 'Stateless' });
    await using through = await connectClient(gateway(plane.port));
    await through.client.callTool({ name: 'echo', arguments: { text: 'hi' } });
    expect(guard.asked.map(({ check }) => check)).toEqual(['request', 'response']);
  });
});

describe('the most specific key', () => {
  const phaseOf = phases({
    '*': 'Full',
    'tools/*': 'Request',
    '*/list': 'Response',
    '*/templates/list': 'Off',
    'tools/call': 'Off',
    'a/*': 'Full',
  });
  test.each([
    ['tools/call', 'Off'],
    ['tools/list', 'Request'],
    ['prompts/list', 'Response'],
    ['resources/templates/list', 'Off'],
    ['ping', 'Full'],
    ['atools/x', 'Full'],
    ['prompts/listed', 'Full'],
  ])('%s', (method, phase) => {
    expect(phaseOf(method)).toBe(phase);
  });

  test('a prefix goes before a suffix of its length, wherever they stand', () => {
    expect(phases({ '*/list': 'Off', 'lists/*': 'Full', 'tool/*': 'Request' })('tool/list')).toBe('Request');
    expect(phases({ 'tool/*': 'Request', '*/list': 'Off' })('tool/list')).toBe('Request');
  });

  test('no key, no guard', () => {
    expect(phases({ 'tools/list': 'Full' })('tools/listed')).toBe('Off');
    expect(phases({})('ping')).toBe('Off');
  });
});

describe('several targets', () => {
  test('a list is asked about once, and its merged result', async () => {
    await using guard = await startGuard({
      checkResponse: ({ mcpResponse }) => ({
        result: { case: 'mutated', value: bytes({ tools: json(mcpResponse).tools?.slice(1) }) },
      }),
    });
    await using plane = await guarded([processor(guard, { '*/list': 'Full', 'tools/call': 'Request' })], TWO);
    await using through = await connectClient(gateway(plane.port));
    expect((await through.client.listTools()).tools.map(({ name }) => name)).toEqual(['b_echo']);
    await through.client.callTool({ name: 'b_echo', arguments: { text: 'hi' } });
    expect(guard.asked.map(({ asked }) => asked.serviceNames)).toEqual([['a', 'b'], ['a', 'b'], ['b']]);
  });

  test('lists without prefixes', async () => {
    await using guard = await startGuard({
      checkResponse: () => ({ result: { case: 'mutated', value: bytes({ tools: [] }) } }),
    });
    await using plane = await guarded([processor(guard, { '*/list': 'Response' })], { ...TWO, prefixMode: 'Never' });
    await using through = await connectClient(gateway(plane.port));
    expect((await through.client.listTools()).tools).toEqual([]);
    expect(guard.asked.map(({ asked }) => asked.method)).toEqual(['tools/list']);
  });

  test('what a guard makes of a name is what the rules judge', async () => {
    await using guard = await startGuard({
      checkRequest: () => ({ result: { case: 'mutated', value: bytes({ name: 'b_echo', arguments: { text: 'x' } }) } }),
    });
    const authorization = { action: 'Deny', policy: { matchExpressions: ['mcp.tool.target == "b"'] } };
    await using plane = await guarded([processor(guard, { 'tools/call': 'Request' })], TWO, { authorization });
    await using through = await connectClient(gateway(plane.port));
    await expect(through.client.callTool({ name: 'a_echo', arguments: { text: 'x' } })).rejects.toThrow(
      'Unknown tool: b_echo',
    );
  });
});

test('a stream cannot be taken up again where guards look at results', async () => {
  await using own = await startMcpServer({ serve, resumable: true });
  await using guard = await startGuard();
  const targets = [target('a', own.port)];
  for (const [processors, ids] of [
    [[processor(guard, { 'tools/call': 'Response' })], 0],
    [[], 1],
  ] as const) {
    await using plane = await guarded(processors, { targets });
    await using through = await connectClient(gateway(plane.port));
    const tokens: string[] = [];
    const onresumptiontoken = (token: string): void => void tokens.push(token);
    await through.client.callTool({ name: 'echo', arguments: { text: 'hi' } }, undefined, { onresumptiontoken });
    expect(tokens.length > 0).toBe(ids > 0);
  }
});

describe('verdicts', () => {
  let before: number;
  beforeEach(() => {
    before = calls();
  });

  test.each([
    [AuthorizationError_Code.UNKNOWN, -32_603],
    [AuthorizationError_Code.PERMISSION_DENIED, -32_001],
    [AuthorizationError_Code.RESOURCE_EXHAUSTED, -32_003],
    [AuthorizationError_Code.INVALID, -32_600],
    [99, -32_603],
  ])('code %s', async (code, expected) => {
    const mcpError = bytes({ hint: 'ask' });
    await using guard = await startGuard({
      checkRequest: () => ({ result: { case: 'error', value: { code, reason: 'no way', mcpError } } }),
    });
    await using plane = await guarded([processor(guard, { 'tools/call': 'Request' })]);
    await using through = await connectClient(gateway(plane.port));
    await expect(echo(through)).rejects.toMatchObject({
      code: expected,
      data: { hint: 'ask' },
    });
    expect(calls()).toBe(before);
  });

  test('a result that is rejected', async () => {
    await using guard = await startGuard({
      checkResponse: () => ({ result: { case: 'error', value: { code: 1, reason: 'secret' } } }),
    });
    await using second = await startGuard();
    await using plane = await guarded([
      processor(guard, { 'tools/call': 'Response' }),
      processor(second, { 'tools/call': 'Response' }),
    ]);
    await using through = await connectClient(gateway(plane.port));
    await expect(echo(through)).rejects.toMatchObject({ code: -32_001 });
    expect(calls()).toBe(before + 1);
    expect(second.asked).toEqual([]);
  });

  test('guards follow one another: the second sees what the first made, and nothing after a rejection', async () => {
    let answers = 0;
    await using first = await startGuard({
      checkRequest: ({ mcpRequest }) => {
        answers += 1;
        if (answers > 1) return { result: { case: 'error', value: { code: 1, reason: 'enough' } } };
        return {
          result: { case: 'mutated', value: bytes({ ...json(mcpRequest), arguments: { text: 'changed' } }) },
          headerMutation: {
            set: [
              { key: 'x-guard', value: Buffer.from('yes') },
              { key: ':path', value: Buffer.from('/no') },
              { key: 'mcp-session-id', value: Buffer.from('other') },
            ],
            remove: ['x-secret'],
          },
          metadata: { level: 'high' },
        };
      },
    });
    await using second = await startGuard();
    await using plane = await guarded([
      processor(first, { 'tools/call': 'Request' }),
      processor(
        second,
        { 'tools/call': 'Request' },
        {
          metadata: {
            level: 'mcpGuardrails.level',
            tool: 'mcp.tool.name',
            text: 'json(request.body).params.arguments.text',
            broken: 'nothing.there',
          },
        },
      ),
    ]);
    await using through = await connectClient(gateway(plane.port), {}, { 'x-secret': 's' });
    expect(await echo(through)).toMatchObject({ content: [{ type: 'text', text: 'changed' }] });
    expect(alpha.seen.at(-1)?.headers).toMatchObject({ 'x-guard': 'yes' });
    expect(alpha.seen.at(-1)?.headers).not.toHaveProperty('x-secret');
    const [question] = second.asked;
    expect(question?.check === 'request' && json(question.asked.mcpRequest)).toMatchObject({
      arguments: { text: 'changed' },
    });
    expect(question?.asked.metadataContext).toEqual({ level: 'high', tool: 'echo', text: 'changed' });
    await expect(echo(through)).rejects.toThrow('enough');
    expect(second.asked).toHaveLength(1);
  });

  test('a notification that is rejected goes nowhere', async () => {
    await using guard = await startGuard({
      checkRequest: () => ({ result: { case: 'error', value: { code: 1, reason: 'quiet' } } }),
    });
    await using plane = await guarded([processor(guard, { 'notifications/roots/list_changed': 'Request' })]);
    await using through = await connectClient(gateway(plane.port), { roots: { listChanged: true } });
    await expect(through.client.sendRootsListChanged()).rejects.toThrow('quiet');
    expect(alpha.seen.map(({ method }) => method)).not.toContain('notifications/roots/list_changed');
  });

  test('no session begins when what servers say of themselves is rejected', async () => {
    await using guard = await startGuard({
      checkResponse: () => ({ result: { case: 'error', value: { code: 1, reason: 'unknown server' } } }),
    });
    await using own = await startMcpServer({ serve });
    await using plane = await guarded([processor(guard, { initialize: 'Response' })], {
      targets: [target('a', own.port)],
    });
    await expect(connectClient(gateway(plane.port))).rejects.toThrow('unknown server');
    await expect.poll(() => own.sessions()).toEqual([]);
  });
});

describe('headers', () => {
  test.each([
    [
      'all, with the request line',
      {},
      { ':method': 'POST', ':path': '/mcp', ':scheme': 'http', 'x-one': '1', 'x-two': '2' },
      [],
    ],
    [
      'those that are allowed',
      { allowedRequestHeaders: ['X-ONE', ':path'] },
      { ':path': '/mcp', 'x-one': '1' },
      ['x-two', ':method', 'accept'],
    ],
    [
      'never those that are disallowed',
      { allowedRequestHeaders: ['x-one', 'x-two'], disallowedRequestHeaders: ['X-Two'] },
      { 'x-one': '1' },
      ['x-two', ':path'],
    ],
    [
      'all but those',
      { disallowedRequestHeaders: ['x-one', ':method'] },
      { 'x-two': '2', ':path': '/mcp' },
      ['x-one', ':method'],
    ],
  ])('%s', async (_, rules, there, missing) => {
    await using guard = await startGuard();
    await using plane = await guarded([processor(guard, { ping: 'Request' }, rules)]);
    await using through = await connectClient(gateway(plane.port), {}, { 'x-one': '1', 'x-two': '2' });
    await through.client.ping();
    const [question] = guard.asked;
    const fields = question?.check === 'request' ? question.asked.headers : [];
    const shown = Object.fromEntries(fields.map(({ key, value }) => [key, Buffer.from(value).toString()]));
    expect(shown).toMatchObject(there);
    for (const name of missing) expect(shown).not.toHaveProperty(name);
  });
});

describe('guards that fail', () => {
  const FAILURES: Record<string, () => Promise<GuardPeer>> = {
    'an error of gRPC': () => startGuard({ checkRequest: fail, checkResponse: fail }),
    'no verdict': () => startGuard({ checkRequest: () => ({}), checkResponse: () => ({}) }),
    'what is no JSON': () => startGuard({ checkRequest: () => NO_JSON, checkResponse: () => NO_JSON }),
    'nobody there': async () => {
      const peer = await startGuard();
      await peer[Symbol.asyncDispose]();
      return { ...peer, [Symbol.asyncDispose]: () => Promise.resolve() };
    },
  };

  test.each(Object.entries(FAILURES))('%s', async (_, start) => {
    await using guard = await start();
    for (const phase of ['Request', 'Response']) {
      await using closed = await guarded([processor(guard, { 'tools/call': phase })]);
      await using through = await connectClient(gateway(closed.port));
      await expect(echo(through)).rejects.toThrow(`MCP error -32603: the ${phase.toLowerCase()} check`);
      await using open = await guarded([processor(guard, { 'tools/call': phase }, { failureMode: 'FailOpen' })]);
      await using freely = await connectClient(gateway(open.port));
      expect(await echo(freely)).toMatchObject({ content: [{ type: 'text', text: 'hi' }] });
    }
  });

  test('a server that does not exist', async () => {
    await using plane = await guarded([
      { remote: { backendRef: { name: 'missing', port: 1 } }, methods: { 'tools/call': 'Request' } },
    ]);
    await using through = await connectClient(gateway(plane.port));
    await expect(echo(through)).rejects.toMatchObject({ code: -32_603 });
  });
});

function serve(server: McpServer): void {
  server.registerTool('echo', { inputSchema: { text: z.string() } }, ({ text }) => ({
    content: [{ type: 'text', text }],
  }));
  server.registerPrompt('greet', {}, () => ({ messages: [] }));
}

const TWO = {
  get targets(): object[] {
    return [target('a', alpha.port), target('b', beta.port)];
  },
};

function guarded(processors: readonly object[], mcp: object = {}, more: object = {}): Promise<DataPlane> {
  const targets = [target('a', alpha.port)];
  return startDataPlane((port) => [
    ...mcpSetup(
      port,
      { targets, ...mcp },
      { mcp: { ...(processors.length > 0 && { guardrails: { processors: processors.map(withoutPort) } }), ...more } },
    ),
    ...processors.flatMap(backendOf),
  ]);
}

const PORT = Symbol('port');

function processor(guard: GuardPeer, methods: object, remote: object = {}): object {
  const backendRef = { group: 'proxy.example', kind: 'ProxyBackend', name: `guard-${guard.port}` };
  return { remote: { backendRef, ...remote }, methods, [PORT]: guard.port };
}

function withoutPort(value: object): object {
  return Object.fromEntries(Object.entries(value));
}

function backendOf(value: object): object[] {
  const port = PORT in value && typeof value[PORT] === 'number' ? value[PORT] : undefined;
  return port === undefined
    ? []
    : [
        {
          apiVersion: 'proxy.example/v1alpha1',
          kind: 'ProxyBackend',
          metadata: { name: `guard-${port}` },
          spec: { static: { host: '127.0.0.1', port } },
        },
      ];
}

function echo({ client }: Connected): ReturnType<Connected['client']['callTool']> {
  return client.callTool({ name: 'echo', arguments: { text: 'hi' } });
}

function calls(): number {
  return alpha.seen.filter(({ method }) => method === 'tools/call').length;
}

const LIST = z.looseObject({ tools: z.array(z.unknown()).optional() });

function json(text: Uint8Array | undefined): z.infer<typeof LIST> {
  return LIST.parse(JSON.parse(Buffer.from(text ?? []).toString()));
}

function bytes(value: object): Uint8Array {
  return Buffer.from(JSON.stringify(value));
}

function fail(): never {
  throw new ConnectError('busy', Code.Unavailable);
}

const NO_JSON = { result: { case: 'mutated', value: Buffer.from('[1') } } as const;
