import type { McpServer } from '@modelcontextprotocol/sdk/server/mcp.js';
import { connect } from 'node:tls';
import { z } from 'zod';
import { expect, test } from 'vitest';
import { createMetrics, type Metrics } from '../../telemetry/metrics/metrics.ts';
import { guardedProvider } from '../backends/ai/guarded-provider.ts';
import { startMcpServer } from '../backends/mcp/support/mcp-server.ts';
import { connectClient, gateway, mcpSetup, target } from '../backends/mcp/support/setup.ts';
import { certificateSecret, hasOpenssl, makeCertificate } from '../support/certificates.ts';
import { policy, simpleSetup, startDataPlane, startUpstream, type DataPlaneOptions } from '../support/data-plane.ts';

/*
 * What is recorded of MCP, guards and handshakes. No document names these keys and metrics. docs/decisions/telemetry.md
 */

type Line = Readonly<Record<string, unknown>>;

/** Counts, and keeps the lines of the log; `line` resolves to the one that fits, also one that is still to come. */
function record(): DataPlaneOptions & { metrics: Metrics; lines: Line[]; line: (fits: Line) => Promise<Line> } {
  const metrics = createMetrics();
  const lines: Line[] = [];
  const waiting = new Set<() => void>();
  const writeLine = (text: string): void => {
    lines.push(z.record(z.string(), z.unknown()).parse(JSON.parse(text)));
    for (const look of waiting) look();
  };
  const line = (fits: Line): Promise<Line> =>
    new Promise((resolve) => {
      const look = (): void => {
        const found = lines.find((one) => Object.entries(fits).every(([key, value]) => one[key] === value));
        if (found === undefined) return;
        waiting.delete(look);
        resolve(found);
      };
      waiting.add(look);
      look();
    });
  return { metrics, lines, line, recording: { metrics, writeLine } };
}

function serve(server: McpServer): void {
  server.registerTool('echo', { inputSchema: { text: z.string() } }, ({ text }) => ({
    content: [{ type: 'text', text }],
  }));
}

test('a call of a tool is logged and counted by method, server and tool, without its arguments and its session', async () => {
  await using server = await startMcpServer({ serve });
  const recorded = record();
  await using plane = await startDataPlane(
    (port) => [
      ...mcpSetup(port, { targets: [target('alpha', server.port)] }),
      policy('Gateway', { frontend: { accessLog: {} } }),
    ],
    recorded,
  );
  await using through = await connectClient(gateway(plane.port));
  await through.client.callTool({ name: 'echo', arguments: { text: 'whisper' } });
  const line = await recorded.line({ 'mcp.method.name': 'tools/call' });
  expect(line).toMatchObject({
    protocol: 'mcp',
    'mcp.target': 'alpha',
    'mcp.resource.type': 'tool',
    'gen_ai.tool.name': 'echo',
  });
  expect(line).not.toHaveProperty('mcp.resource.uri');
  const session = through.transport.sessionId;
  expect(session).toBeDefined();
  const said = JSON.stringify(recorded.lines) + recorded.metrics.text();
  expect(said).not.toContain(session);
  expect(said).not.toContain('whisper');
  const counted = recorded.metrics.text();
  expect(counted).toMatch(
    /proxy_mcp_requests_total\{method="tools\/call",resource_type="tool",server="alpha",resource="echo",gateway=.*\} 1\n/,
  );
  expect(counted).toMatch(
    /proxy_mcp_requests_total\{method="notifications\/initialized",resource_type="unknown",server="unknown",resource="unknown",.*\} 1\n/,
  );
});

test('methods that clients make up share one label', async () => {
  await using server = await startMcpServer({ serve });
  const recorded = record();
  await using plane = await startDataPlane(
    (port) => [
      ...mcpSetup(port, { sessionRouting: 'Stateless', targets: [target('alpha', server.port)] }),
      policy('Gateway', { frontend: { accessLog: {} } }),
    ],
    recorded,
  );
  const headers = { 'content-type': 'application/json', accept: 'application/json, text/event-stream' };
  const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'made/up' });
  await (await fetch(gateway(plane.port), { method: 'POST', headers, body })).text();
  await recorded.line({ 'mcp.method.name': 'made/up' });
  expect(recorded.metrics.text()).toContain('proxy_mcp_requests_total{method="OTHER",');
  expect(recorded.metrics.text()).not.toContain('made/up');
});

test('verdicts of prompt guards are counted by phase and action', async () => {
  const recorded = record();
  await using upstream = await startUpstream((_, response) => {
    response.end('{"choices":[{"message":{"role":"assistant","content":"my 123-45-6789"}}]}');
  });
  const promptGuard = {
    request: [{ regex: { matches: ['forbidden'], action: 'Reject' } }],
    response: [{ regex: { builtins: ['Ssn'] } }],
  };
  await using plane = await startDataPlane(
    (port) => [
      ...guardedProvider(port, upstream.port, { promptGuard }),
      policy('Gateway', { frontend: { accessLog: {} } }),
    ],
    recorded,
  );
  const ask = async (content: string): Promise<void> => {
    const body = JSON.stringify({ model: 'm', messages: [{ role: 'user', content }] });
    const answer = await fetch(`http://127.0.0.1:${plane.port}/v1/chat/completions`, { method: 'POST', body });
    await answer.text();
    await recorded.line({ 'http.status': answer.status });
  };
  await ask('hi');
  await ask('the forbidden word');
  const counted = recorded.metrics.text();
  for (const verdict of [
    'phase="request",action="pass"',
    'phase="request",action="reject"',
    'phase="response",action="mask"',
  ])
    expect(counted).toMatch(new RegExp(`proxy_guardrail_checks_total\\{${verdict},gateway=.*\\} 1\\n`));
});

test.skipIf(!hasOpenssl)('handshakes are timed, those that fail too; a port without TLS has none', async () => {
  const recorded = record();
  const pem = makeCertificate('one', { names: ['DNS:a.test'] });
  await using upstream = await startUpstream();
  const listener = { protocol: 'HTTPS', hostname: 'a.test', tls: { certificateRefs: [{ name: 'one' }] } };
  await using plane = await startDataPlane(
    (port) => [
      ...simpleSetup(port, upstream.port, { gateway: { listeners: [{ name: 'a', port, ...listener }] } }),
      certificateSecret('one', pem),
    ],
    recorded,
  );
  const shake = async (servername: string): Promise<void> => {
    const socket = connect({ port: plane.port, host: '127.0.0.1', servername, rejectUnauthorized: false });
    socket.on('error', () => {}).on('secureConnect', () => socket.end());
    await new Promise((resolve) => socket.resume().once('close', resolve));
  };
  await shake('a.test');
  await shake('b.test');
  const count = (result: string): RegExp =>
    new RegExp(`proxy_tls_handshake_duration_seconds_count\\{result="${result}",bind="${plane.port}".*\\} 1\\n`);
  await expect.poll(() => recorded.metrics.text()).toMatch(count('ok'));
  await expect.poll(() => recorded.metrics.text()).toMatch(count('failed'));

  const without = record();
  await using plain = await startDataPlane((port) => simpleSetup(port, upstream.port), without);
  await (await fetch(`http://127.0.0.1:${plain.port}/`)).text();
  expect(without.metrics.text()).not.toContain('proxy_tls_handshake_duration_seconds_count');
});
