import type { McpServer } from '@modelcontextprotocol/sdk/server/mcp.js';
import { EmptyResultSchema, ListRootsResultSchema, McpError } from '@modelcontextprotocol/sdk/types.js';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { startDataPlane } from '../../support/data-plane.ts';
import { type McpPeer, startMcpServer } from './support/mcp-server.ts';
import { type Connected, connectClient, gateway, mcpSetup, target } from './support/setup.ts';

/*
 * MCP-002, MCP-004 to MCP-006, MCP-019 to MCP-025, MCP-029. Names and ports of what selectors find: docs/decisions/mcp-targets.md
 */

let alpha: McpPeer;
let beta: McpPeer;

beforeAll(async () => {
  [alpha, beta] = await Promise.all([
    startMcpServer({ serve: serve('alpha') }),
    startMcpServer({ serve: serve('beta') }),
  ]);
});

afterAll(async () => {
  await Promise.all([alpha[Symbol.asyncDispose](), beta[Symbol.asyncDispose]()]);
});

const REPLICATED = [{ name: 't', static: { backendRef: { name: 'servers' }, port: 80 } }];

describe('replicas', () => {
  test('a session keeps the one it began at, across a restart of the proxy', async () => {
    let replica = 0;
    const random = (): number => replica;
    await using plane = await startDataPlane(replicated, { random });
    await using one = await connectClient(gateway(plane.port));
    replica = 0.5;
    await using two = await connectClient(gateway(plane.port));
    const first = await whoAnswers(one);
    expect(await whoAnswers(two)).not.toBe(first);
    for (let again = 0; again < 3; again += 1) expect(await whoAnswers(one)).toBe(first);

    await using restarted = await startDataPlane(replicated, { random });
    const answer = await callAgain(restarted.port, one);
    expect(answer).toContain(first);
  });

  test('a session whose replica is gone is unknown', async () => {
    await using plane = await startDataPlane((port) => [
      ...mcpSetup(port, { targets: REPLICATED }),
      ...service('servers', [alpha]),
    ]);
    await using one = await connectClient(gateway(plane.port));
    await plane.configure([...mcpSetup(plane.port, { targets: REPLICATED }), ...service('servers', [beta])]);
    expect(await callAgain(plane.port, one)).toContain('session not found');
  });

  test('without sessions every request may go elsewhere, and leaves nothing behind', async () => {
    let replica = 0;
    const random = (): number => replica;
    await using plane = await startDataPlane(
      (port) => [
        ...mcpSetup(port, { targets: REPLICATED, sessionRouting: 'Stateless' }),
        ...service('servers', [alpha, beta]),
      ],
      { random },
    );
    const before = [...alpha.sessions(), ...beta.sessions()];
    await using one = await connectClient(gateway(plane.port));
    expect(one.transport.sessionId).toBeUndefined();
    expect(await whoAnswers(one)).toBe('alpha');
    replica = 0.5;
    expect(await whoAnswers(one)).toBe('beta');
    await one.client.ping();
    expect((await one.client.listTools()).tools).toHaveLength(1);
    await until(() => alpha.sessions().length + beta.sessions().length === before.length);
    const answers = await Promise.all(
      ['GET', 'DELETE'].map((method) =>
        fetch(gateway(plane.port), { method, headers: { accept: 'text/event-stream' } }),
      ),
    );
    expect(answers.map(({ status }) => status)).toEqual([405, 405]);
  });

  test('without sessions a server is told that nobody can be asked, and that the proxy is there', async () => {
    await using asks = await startMcpServer({ serve: asking });
    await using plane = await startDataPlane((port) =>
      mcpSetup(port, { targets: [target('a', asks.port)], sessionRouting: 'Stateless' }),
    );
    await using one = await connectClient(gateway(plane.port), { sampling: {}, elicitation: {}, roots: {} });
    expect(await one.client.callTool({ name: 'asks' })).toMatchObject({ content: [{ text: 'pong, nobody to ask' }] });
  });

  test('without sessions and with several targets only the one that is called is visited', async () => {
    await using plane = await startDataPlane((port) =>
      mcpSetup(port, { targets: [target('a', alpha.port), target('b', beta.port)], sessionRouting: 'Stateless' }),
    );
    await using one = await connectClient(gateway(plane.port));
    await one.client.ping();
    const before = alpha.seen.length;
    expect(await one.client.callTool({ name: 'b_who' })).toMatchObject({ content: [{ text: 'beta' }] });
    expect(alpha.seen.slice(before).filter(({ http }) => http !== 'DELETE')).toEqual([]);
  });
});

describe('selectors', () => {
  test('one Service is the target', async () => {
    expect(
      await names((port) => [
        ...mcpSetup(port, selecting({ services: { matchLabels: { kind: 'mcp' } } })),
        ...service('one', [alpha], { labels: { kind: 'mcp' } }),
        ...service('two', [beta], { labels: { kind: 'web' } }),
      ]),
    ).toEqual(['who']);
  });

  test('several have names of their own, by label expressions and in other namespaces', async () => {
    const selector = {
      namespaces: { matchExpressions: [{ key: 'team', operator: 'In', values: ['x'] }] },
      services: { matchExpressions: [{ key: 'kind', operator: 'Exists' }] },
    };
    expect(
      await names((port) => [
        ...mcpSetup(port, selecting(selector)),
        { apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'far', labels: { team: 'x' } } },
        ...service('one', [alpha], { labels: { kind: 'mcp' }, namespace: 'far' }),
        ...service('two', [beta], { labels: { kind: 'mcp' }, namespace: 'far' }),
        ...service('three', [beta], { labels: { kind: 'mcp' } }),
      ]),
    ).toEqual(['t-one_who', 't-two_who']);
  });

  test('without namespaces only the own one counts', async () => {
    expect(
      await names((port) => [
        ...mcpSetup(port, selecting({ services: {} })),
        ...service('one', [alpha]),
        ...service('two', [beta], { namespace: 'far' }),
      ]),
    ).toEqual(['who']);
  });

  test('ports that say MCP are meant, whoever gave the name', async () => {
    expect(
      await names((port) => [
        ...mcpSetup(port, selecting({ services: {} })),
        ...service('one', [alpha], {
          ports: [
            { name: 'web', port: 80, targetPort: 1 },
            { name: 'mcp', port: 81, appProtocol: 'example.com/mcp' },
          ],
        }),
      ]),
    ).toEqual(['who']);
  });
});

describe('policies of targets', () => {
  test('one by sectionName is for that target; what the target says itself comes last', async () => {
    const before = [alpha.seen.length, beta.seen.length];
    const policies = { auth: keyed('own') };
    await using plane = await startDataPlane((port) => [
      ...mcpSetup(port, { targets: [target('a', alpha.port), target('b', beta.port, { policies })] }),
      attached('all', keyed('all')),
      attached('section-b', keyed('section'), 'b'),
    ]);
    await using one = await connectClient(gateway(plane.port));
    await one.client.ping();
    const shown = [alpha, beta].map(
      ({ seen }, at) => new Set(seen.slice(before[at]).map(({ headers }) => headers.authorization)),
    );
    expect(shown).toEqual([new Set(['Bearer all']), new Set(['Bearer own'])]);
  });

  test('the section wins over the whole', async () => {
    const before = [alpha.seen.length, beta.seen.length];
    await using plane = await startDataPlane((port) => [
      ...mcpSetup(port, { targets: [target('a', alpha.port), target('b', beta.port)] }),
      attached('all', keyed('all')),
      attached('section-b', keyed('section'), 'b'),
    ]);
    await using one = await connectClient(gateway(plane.port));
    await one.client.ping();
    const shown = [alpha, beta].map(
      ({ seen }, at) => new Set(seen.slice(before[at]).map(({ headers }) => headers.authorization)),
    );
    expect(shown).toEqual([new Set(['Bearer all']), new Set(['Bearer section'])]);
  });

  test('the path of a target', async () => {
    const before = alpha.seen.length;
    await using plane = await startDataPlane((port) =>
      mcpSetup(port, { targets: [target('a', alpha.port, { path: '/elsewhere' })] }),
    );
    await using one = await connectClient(gateway(plane.port));
    await one.client.ping();
    expect(new Set(alpha.seen.slice(before).map(({ path }) => path))).toEqual(new Set(['/elsewhere']));
  });
});

function serve(name: string): (server: McpServer) => void {
  return (server) => {
    server.registerTool('who', {}, () => ({ content: [{ type: 'text', text: name }] }));
  };
}

/** Its tool asks the client, without a look at what that said it can: not every server looks. */
function asking(server: McpServer): void {
  server.registerTool('asks', {}, async ({ sendRequest }) => {
    await sendRequest({ method: 'ping' }, EmptyResultSchema);
    const asked = sendRequest({ method: 'roots/list' }, ListRootsResultSchema);
    const outcome = await asked.then(
      () => 'asked',
      (error: unknown) => (error instanceof McpError && error.code === -32_601 ? 'nobody to ask' : String(error)),
    );
    return { content: [{ type: 'text', text: `pong, ${outcome}` }] };
  });
}

async function whoAnswers({ client }: Connected): Promise<string> {
  const result = await client.callTool({ name: 'who' });
  return JSON.stringify(result).includes('alpha') ? 'alpha' : 'beta';
}

/** The same session, by hand. */
async function callAgain(port: number, { transport }: Connected): Promise<string> {
  const answer = await fetch(gateway(port), {
    method: 'POST',
    headers: {
      accept: 'application/json, text/event-stream',
      'content-type': 'application/json',
      'mcp-session-id': transport.sessionId ?? '',
    },
    body: JSON.stringify({ jsonrpc: '2.0', id: 'again', method: 'tools/call', params: { name: 'who' } }),
  });
  return answer.text();
}

interface ServiceMore {
  readonly labels?: Readonly<Record<string, string>>;
  readonly namespace?: string;
  readonly ports?: readonly {
    readonly name?: string;
    readonly port: number;
    readonly targetPort?: number;
    readonly appProtocol?: string;
  }[];
}

/** A Service with one address per peer. */
function service(name: string, peers: readonly McpPeer[], more: ServiceMore = {}): object[] {
  const { labels = {}, namespace = 'default', ports = [{ port: 80 }] } = more;
  const slices = peers.map((peer, at) => ({
    apiVersion: 'discovery.k8s.io/v1',
    kind: 'EndpointSlice',
    metadata: { name: `${name}-${at}`, namespace, labels: { 'kubernetes.io/service-name': name } },
    addressType: 'IPv4',
    endpoints: [{ addresses: ['127.0.0.1'] }],
    ports: [{ ...(ports.at(-1)?.name !== undefined && { name: ports.at(-1)?.name }), port: peer.port }],
  }));
  return [{ apiVersion: 'v1', kind: 'Service', metadata: { name, namespace, labels }, spec: { ports } }, ...slices];
}

async function until(condition: () => boolean): Promise<void> {
  while (!condition()) await new Promise((resolve) => setImmediate(resolve));
}

/** The tools that clients of these resources see. */
async function names(resources: (port: number) => object[]): Promise<readonly string[]> {
  await using plane = await startDataPlane(resources);
  await using one = await connectClient(gateway(plane.port));
  return (await one.client.listTools()).tools.map(({ name }) => name);
}

function selecting(selector: object): object {
  return { targets: [{ name: 't', selector }] };
}

function keyed(key: string): object {
  return { key };
}

/** A policy for the backend, or for one of its targets. */
function attached(name: string, auth: object, sectionName?: string): object {
  return {
    apiVersion: 'proxy.example/v1alpha1',
    kind: 'ProxyPolicy',
    metadata: { name },
    spec: {
      targetRefs: [{ group: 'proxy.example', kind: 'ProxyBackend', name: 'b', ...(sectionName && { sectionName }) }],
      backend: { auth },
    },
  };
}

/** One target with two replicas. */
function replicated(port: number): object[] {
  return [...mcpSetup(port, { targets: REPLICATED }), ...service('servers', [alpha, beta])];
}
