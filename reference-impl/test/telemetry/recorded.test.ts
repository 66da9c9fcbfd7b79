import type { McpServer } from '@modelcontextprotocol/sdk/server/mcp.js';
import { connect } from 'node:tls';
import { z } from 'zod';
import { expect, test } from 'vitest';
import { guardedProvider } from '../backends/ai/guarded-provider.ts';
import { startMcpServer } from '../backends/mcp/support/mcp-server.ts';
import { connectClient, gateway, mcpSetup, target } from '../backends/mcp/support/setup.ts';
import { certificateSecret, hasOpenssl, makeCertificate, type Pem } from '../support/certificates.ts';
import { policy, simpleSetup, startDataPlane, startUpstream } from '../support/data-plane.ts';
import { record } from '../support/recording.ts';

/*
 * What is recorded of MCP, guards and handshakes. No document names these keys and metrics. docs/decisions/telemetry.md
 */

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

test('an error that the proxy or a server answers is logged with its code and text; a result is none', async () => {
  await using server = await startMcpServer({ serve });
  const recorded = record();
  await using plane = await startDataPlane(
    (port) => [
      ...mcpSetup(port, { targets: [target('alpha', server.port), target('beta', server.port)] }),
      policy('Gateway', { frontend: { accessLog: {} } }),
    ],
    recorded,
  );
  await using through = await connectClient(gateway(plane.port));
  await through.client.callTool({ name: 'alpha_echo', arguments: { text: 'x' } });
  const fine = await recorded.line({ 'mcp.method.name': 'tools/call' });
  expect(fine).not.toHaveProperty('mcp.error.code');

  await expect(through.client.callTool({ name: 'gamma_echo' })).rejects.toThrow();
  const refused = await recorded.line({ 'mcp.error.code': -32_603 });
  expect(refused).toMatchObject({ 'mcp.method.name': 'tools/call', 'http.status': 500 });
  expect(refused['mcp.error.message']).toContain('unknown service gamma');

  await expect(through.client.getPrompt({ name: 'alpha_none' })).rejects.toThrow();
  const relayed = await recorded.line({ 'mcp.method.name': 'prompts/get' });
  expect(relayed).toMatchObject({ 'mcp.error.code': -32_601, 'mcp.error.message': 'Method not found' });
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

test('connections to backends are counted once, with the labels of all listeners; so is what an answer takes', async () => {
  const recorded = record();
  await using upstream = await startUpstream();
  const add = [
    { name: 'fixed', expression: "'x'" },
    { name: 'path', expression: 'request.path' },
  ];
  await using plane = await startDataPlane(
    (port) => [
      ...simpleSetup(port, upstream.port),
      policy('Gateway', { frontend: { accessLog: {}, metrics: { attributes: { add } } } }),
    ],
    recorded,
  );
  for (const path of ['/one', '/two']) {
    await (await fetch(`http://127.0.0.1:${plane.port}${path}`)).text();
    await recorded.line({ 'http.path': path });
  }
  const counted = recorded.metrics.text();
  expect(counted).toMatch(
    /proxy_upstream_connect_duration_seconds_count\{transport="plaintext",(?:path="unknown",fixed="x"|fixed="x",path="unknown")\} 1\n/,
  );
  expect(counted).toMatch(/proxy_response_processing_seconds_count\{.*status="200".*path="\/two"\} 1\n/);
  expect(counted).toContain('proxy_build_info{tag="1.2.3"} 1\n');
});

test('an answer that no backend gave has no time behind a backend', async () => {
  const recorded = record();
  await using upstream = await startUpstream();
  await using plane = await startDataPlane(
    (port) => [
      ...simpleSetup(port, upstream.port),
      policy('HTTPRoute', { traffic: { directResponse: { status: 404 } } }),
      policy('Gateway', { frontend: { accessLog: {} } }),
    ],
    recorded,
  );
  await (await fetch(`http://127.0.0.1:${plane.port}/`)).text();
  await recorded.line({ 'http.status': 404 });
  expect(recorded.metrics.text()).not.toMatch(/proxy_response_processing_seconds_count|connect_duration_seconds_count/);
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

  await expect
    .poll(() => recorded.metrics.text())
    .toMatch(/proxy_downstream_connections_total\{bind="\d+",gateway=.*,protocol="https"\} 2\n/);
  await plain.close(0);
  await expect
    .poll(() => without.metrics.text())
    .toMatch(/proxy_downstream_connections_total\{bind="\d+",gateway=.*,protocol="http"\} 1\n/);
});

test.skipIf(!hasOpenssl)('a client with a certificate is logged by its SPIFFE id, or else by its subject', async () => {
  const recorded = record();
  const authority = makeCertificate('authority');
  await using upstream = await startUpstream();
  const validation = { caCertificateRefs: [{ group: '', kind: 'ConfigMap', name: 'ca' }] };
  const listener = { protocol: 'HTTPS', hostname: 'a.test', tls: { certificateRefs: [{ name: 'one' }] } };
  await using plane = await startDataPlane(
    (port) => [
      ...simpleSetup(port, upstream.port, {
        gateway: { listeners: [{ name: 'a', port, ...listener }], tls: { frontend: { default: { validation } } } },
      }),
      certificateSecret('one', makeCertificate('one', { names: ['DNS:a.test'] })),
      { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'ca' }, data: { 'ca.crt': authority.certificate } },
      policy('Gateway', { frontend: { accessLog: {} } }),
    ],
    recorded,
  );
  const ask = async (path: string, { certificate, key }: Pem): Promise<unknown> => {
    const shown = { cert: certificate, key, rejectUnauthorized: false };
    const socket = connect({ port: plane.port, host: '127.0.0.1', servername: 'a.test', ...shown });
    socket.write(`GET ${path} HTTP/1.1\r\nHost: a.test\r\nConnection: close\r\n\r\n`);
    await new Promise((resolve) => socket.resume().once('close', resolve));
    return (await recorded.line({ 'http.path': path }))['src.identity'];
  };
  const names = ['URI:spiffe://trust.test/ns/apps/sa/shop'];
  expect(await ask('/spiffe', makeCertificate('shop', { names, authority }))).toBe(
    'spiffe://trust.test/ns/apps/sa/shop',
  );
  expect(await ask('/subject', makeCertificate('shop', { authority }))).toBe('CN=shop');
});
