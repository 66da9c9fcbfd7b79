import type { z } from 'zod';
import { extAuthScriptSchema } from './ext-auth/script.ts';
import { startExtAuthMock } from './ext-auth/serve.ts';
import { idpScriptSchema } from './idp/script.ts';
import { startIdpMock } from './idp/serve.ts';
import { extProcScriptSchema } from './ext-proc/script.ts';
import { startExtProcMock } from './ext-proc/serve.ts';
import type { Mock, MockOptions } from './mock.ts';
import { rateLimitScriptSchema } from './ratelimit/script.ts';
import { startRateLimitMock } from './ratelimit/serve.ts';
import { httpScriptSchema } from './upstreams/http/script.ts';
import { startHttpMock } from './upstreams/http/serve.ts';
import { tcpScriptSchema } from './upstreams/tcp/script.ts';
import { startTcpMock } from './upstreams/tcp/serve.ts';

/** One kind of peer: what its script may say and how it starts. */
export interface MockKind {
  readonly schema: z.ZodObject;
  /** Parses the script and starts the mock; rejects with a ZodError or the system's error. */
  readonly start: (script: unknown, options: MockOptions) => Promise<Mock>;
}

/** Every kind of peer there is. A new kind is one folder and one row. */
export const mockKinds: Readonly<Record<string, MockKind>> = {
  extauth: {
    schema: extAuthScriptSchema,
    start: (script, options) => startExtAuthMock(extAuthScriptSchema.parse(script), options),
  },
  extproc: {
    schema: extProcScriptSchema,
    start: (script, options) => startExtProcMock(extProcScriptSchema.parse(script), options),
  },
  http: {
    schema: httpScriptSchema,
    start: (script, options) => startHttpMock(httpScriptSchema.parse(script), options),
  },
  idp: {
    schema: idpScriptSchema,
    start: (script, options) => startIdpMock(idpScriptSchema.parse(script), options, startHttpMock),
  },
  ratelimit: {
    schema: rateLimitScriptSchema,
    start: (script, options) => startRateLimitMock(rateLimitScriptSchema.parse(script), options),
  },
  tcp: { schema: tcpScriptSchema, start: (script, options) => startTcpMock(tcpScriptSchema.parse(script), options) },
};
