import { Buffer } from 'node:buffer';
import { fromBinary } from '@bufbuild/protobuf';
import type { McpServer } from '@modelcontextprotocol/sdk/server/mcp.js';
import { expect, test } from 'vitest';
import { Span_SpanKind } from '../../upstream/wire/otlp_pb.js';
import { ExportTraceServiceRequestSchema } from '../../upstream/wire/otlp_trace_pb.js';
import { guardedProvider } from '../backends/ai/guarded-provider.ts';
import { startMcpServer } from '../backends/mcp/support/mcp-server.ts';
import { connectClient, gateway, mcpSetup, target } from '../backends/mcp/support/setup.ts';
import { clientAttributes, clientName } from '../../telemetry/names/spans.ts';
import { policy, startDataPlane, startUpstream, type Upstream } from '../support/data-plane.ts';
import { priced } from '../support/priced.ts';
import { record } from '../support/recording.ts';

/*
 * What spans are called, and what they have beside the log keys. No document says it. docs/decisions/telemetry.md
 */

/** A policy that samples everything for a collector at that port. */
function traced(port: number): object[] {
  const backendRef = { group: 'proxy.example', kind: 'ProxyBackend', name: 'collector' };
  return [
    {
      apiVersion: 'proxy.example/v1alpha1',
      kind: 'ProxyBackend',
      metadata: { name: 'collector' },
      spec: { static: { host: '127.0.0.1', port } },
    },
    policy('Gateway', { frontend: { tracing: { backendRef, protocol: 'HTTP', randomSampling: 'true' } } }),
  ];
}

/** The spans of requests that a collector got so far: their names, and of their attributes the numbers. */
function spansAt(collector: Upstream): readonly { readonly name: string; readonly numbers: object }[] {
  return collector.received
    .flatMap(({ body }) => fromBinary(ExportTraceServiceRequestSchema, Buffer.from(body, 'latin1')).resourceSpans)
    .flatMap(({ scopeSpans }) => scopeSpans.flatMap(({ spans }) => spans))
    .filter(({ kind }) => kind === Span_SpanKind.SERVER)
    .map(({ name, attributes }) => ({
      name,
      numbers: Object.fromEntries(
        attributes.flatMap(({ key, value }) =>
          value?.value.case === 'doubleValue' ? [[key, value.value.value] as const] : [],
        ),
      ),
    }));
}

/** Spans wait for others before they are sent. */
const PATIENCE = { timeout: 10_000 };

function serve(server: McpServer): void {
  server.registerTool('echo', {}, () => ({ content: [] }));
}

test('the span of an MCP request is called by its method, unless a client made that up', async () => {
  await using server = await startMcpServer({ serve });
  await using collector = await startUpstream();
  await using plane = await startDataPlane(
    (port) => [...mcpSetup(port, { targets: [target('alpha', server.port)] }), ...traced(collector.port)],
    record(),
  );
  await using through = await connectClient(gateway(plane.port));
  await through.client.callTool({ name: 'echo' });
  const headers = {
    'content-type': 'application/json',
    accept: 'application/json, text/event-stream',
    'mcp-session-id': through.transport.sessionId ?? '',
  };
  const body = '{"jsonrpc":"2.0","id":9,"method":"made/up"}';
  await (await fetch(gateway(plane.port), { method: 'POST', headers, body })).text();
  await expect
    .poll(() => spansAt(collector).map(({ name }) => name), PATIENCE)
    .toEqual(expect.arrayContaining(['initialize', 'tools/call', 'POST /*']));
  expect(spansAt(collector).map(({ name }) => name)).not.toContain('made/up');
});

test('the span of a call to a model says what it cost, in all and by what was paid for', async () => {
  const usage = { prompt_tokens: 100, completion_tokens: 20, prompt_tokens_details: { cached_tokens: 40 } };
  await using upstream = await startUpstream((_, response) => response.end(JSON.stringify({ choices: [], usage })));
  await using collector = await startUpstream();
  await using plane = await startDataPlane(
    (port) => [
      ...priced(guardedProvider(port, upstream.port, {}), 'm', { input: '1', output: '2', cacheRead: '0.5' }),
      ...traced(collector.port),
    ],
    record(),
  );
  const asked = JSON.stringify({ model: 'm', messages: [{ role: 'user', content: 'hi' }] });
  await (await fetch(`http://127.0.0.1:${plane.port}/v1/chat/completions`, { method: 'POST', body: asked })).text();
  await expect
    .poll(() => spansAt(collector), PATIENCE)
    .toContainEqual({
      name: 'POST /*',
      numbers: {
        'proxy.ai.usage.cost.total': 0.00012,
        'proxy.ai.usage.cost.input': 0.00006,
        'proxy.ai.usage.cost.output': 0.00004,
        'proxy.ai.usage.cost.cache_read': 0.00002,
      },
    });
});

test('the span of a call of a policy is called by what the call is for, and says what was asked', () => {
  const request = { method: 'POST', authority: 'auth:1', target: '/envoy.service.auth.v3.Authorization/Check' };
  const times = { spanId: '0000000000000001', startedAt: 0, endedAt: 1 };
  const note = { subtype: 'ext_authz', target: 'auth:1', request, status: 200, error: null, ...times } as const;
  expect(clientName({ kind: 'Policy', ...note })).toBe('ext_authz');
  expect(clientName({ kind: 'Primary', ...note })).toBe('POST');
  expect(clientAttributes({ kind: 'Policy', ...note }, { headers: new Set(), queryParameters: new Set() })).toEqual([
    ['proxy.outbound.kind', 'Policy'],
    ['proxy.outbound.subtype', 'ext_authz'],
    ['server.address', 'auth:1'],
    ['http.method', 'POST'],
    ['http.host', 'auth:1'],
    ['http.path', '/envoy.service.auth.v3.Authorization/Check'],
    ['http.status', 200],
  ]);
});
