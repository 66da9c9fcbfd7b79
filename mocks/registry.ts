import type { z } from 'zod';
import { extAuthScriptSchema } from './ext-auth/script.ts';
import { mcpGuardScriptSchema } from './guards/mcp/script.ts';
import { guardScriptSchema } from './guards/script.ts';
import { idpScriptSchema } from './idp/script.ts';
import { cloudAScriptSchema } from './cloud-a/script.ts';
import { cloudBScriptSchema } from './cloud-b/script.ts';
import { cloudCScriptSchema } from './cloud-c/script.ts';
import { extProcScriptSchema } from './ext-proc/script.ts';
import type { Mock, MockOptions } from './mock.ts';
import { rateLimitScriptSchema } from './ratelimit/script.ts';
import { telemetryScriptSchema } from './telemetry/script.ts';
import { a2aScriptSchema } from './upstreams/a2a/script.ts';
import { connectProxyScriptSchema } from './upstreams/connect-proxy/script.ts';
import { httpScriptSchema } from './upstreams/http/script.ts';
import { startHttpMock } from './upstreams/http/serve.ts';
import { llmScriptSchema } from './upstreams/llm/script.ts';
import { mcpScriptSchema } from './upstreams/mcp/script.ts';
import { realtimeScriptSchema } from './upstreams/realtime/script.ts';
import { tcpScriptSchema } from './upstreams/tcp/script.ts';
import { startTcpMock } from './upstreams/tcp/serve.ts';

/** One kind of peer: what its script may say and how it starts. */
export interface MockKind {
  readonly schema: z.ZodObject;
  /** Parses the script and starts the mock; rejects with a ZodError or the system's error. */
  readonly start: (script: unknown, options: MockOptions) => Promise<Mock>;
}

/**
 * Every kind of peer there is. A new kind is one folder and one row. Servers that stand on large libraries are loaded with
 * the first case that wants one: the first verdict of `conform run` is not to wait for them.
 */
export const mockKinds: Readonly<Record<string, MockKind>> = {
  a2a: {
    schema: a2aScriptSchema,
    start: async (script, options) =>
      (await import('./upstreams/a2a/serve.ts')).startA2aMock(a2aScriptSchema.parse(script), options, startHttpMock),
  },
  'cloud-a': {
    schema: cloudAScriptSchema,
    start: async (script, options) =>
      (await import('./cloud-a/serve.ts')).startCloudAMock(cloudAScriptSchema.parse(script), options, startHttpMock),
  },
  'cloud-b': {
    schema: cloudBScriptSchema,
    start: async (script, options) =>
      (await import('./cloud-b/serve.ts')).startCloudBMock(cloudBScriptSchema.parse(script), options, startHttpMock),
  },
  'cloud-c': {
    schema: cloudCScriptSchema,
    start: async (script, options) =>
      (await import('./cloud-c/serve.ts')).startCloudCMock(cloudCScriptSchema.parse(script), options, startHttpMock),
  },
  'connect-proxy': {
    schema: connectProxyScriptSchema,
    start: async (script, options) =>
      (await import('./upstreams/connect-proxy/serve.ts')).startConnectProxyMock(
        connectProxyScriptSchema.parse(script),
        options,
      ),
  },
  extauth: {
    schema: extAuthScriptSchema,
    start: async (script, options) =>
      (await import('./ext-auth/serve.ts')).startExtAuthMock(extAuthScriptSchema.parse(script), options),
  },
  extproc: {
    schema: extProcScriptSchema,
    start: async (script, options) =>
      (await import('./ext-proc/serve.ts')).startExtProcMock(extProcScriptSchema.parse(script), options),
  },
  guard: {
    schema: guardScriptSchema,
    start: async (script, options) =>
      (await import('./guards/serve.ts')).startGuardMock(guardScriptSchema.parse(script), options, startHttpMock),
  },
  http: {
    schema: httpScriptSchema,
    start: (script, options) => startHttpMock(httpScriptSchema.parse(script), options),
  },
  idp: {
    schema: idpScriptSchema,
    start: async (script, options) =>
      (await import('./idp/serve.ts')).startIdpMock(idpScriptSchema.parse(script), options, startHttpMock),
  },
  llm: {
    schema: llmScriptSchema,
    start: async (script, options) =>
      (await import('./upstreams/llm/serve.ts')).startLlmMock(llmScriptSchema.parse(script), options, startHttpMock),
  },
  mcp: {
    schema: mcpScriptSchema,
    start: async (script, options) =>
      (await import('./upstreams/mcp/serve.ts')).startMcpMock(mcpScriptSchema.parse(script), options, startHttpMock),
  },
  'mcp-guard': {
    schema: mcpGuardScriptSchema,
    start: async (script, options) =>
      (await import('./guards/mcp/serve.ts')).startMcpGuardMock(mcpGuardScriptSchema.parse(script), options),
  },
  otlp: {
    schema: telemetryScriptSchema,
    start: async (script, options) =>
      (await import('./telemetry/serve.ts')).startTelemetryMock(telemetryScriptSchema.parse(script), options),
  },
  ratelimit: {
    schema: rateLimitScriptSchema,
    start: async (script, options) =>
      (await import('./ratelimit/serve.ts')).startRateLimitMock(rateLimitScriptSchema.parse(script), options),
  },
  realtime: {
    schema: realtimeScriptSchema,
    start: async (script, options) =>
      (await import('./upstreams/realtime/serve.ts')).startRealtimeMock(realtimeScriptSchema.parse(script), options),
  },
  tcp: { schema: tcpScriptSchema, start: (script, options) => startTcpMock(tcpScriptSchema.parse(script), options) },
};
