import type { z } from 'zod';
import type { Mock, MockOptions } from './mock.ts';
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
  http: {
    schema: httpScriptSchema,
    start: (script, options) => startHttpMock(httpScriptSchema.parse(script), options),
  },
  tcp: { schema: tcpScriptSchema, start: (script, options) => startTcpMock(tcpScriptSchema.parse(script), options) },
};
