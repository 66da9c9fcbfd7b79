import { z } from 'zod';
import { envelope, PROXY_API_VERSION } from '../envelope.ts';
import { exactlyOne } from '../groups.ts';
import { condition } from '../metadata.ts';
import { backendFull } from '../proxy-policy/backend.ts';
import { a2aBackend } from './variants/a2a.ts';
import { aiBackend } from './variants/ai.ts';
import { cloudABackend } from './variants/cloud-a.ts';
import { dynamicForwardProxyBackend } from './variants/dynamic-forward-proxy.ts';
import { mcpBackend } from './variants/mcp.ts';
import { staticBackend } from './variants/static.ts';

/** A destination. Its own `policies` win over those of a ProxyPolicy, field by field. */
export const proxyBackend = z.strictObject({
  ...envelope(PROXY_API_VERSION, 'ProxyBackend'),
  spec: exactlyOne(
    z.strictObject({
      ai: aiBackend.exactOptional(),
      static: staticBackend.exactOptional(),
      dynamicForwardProxy: dynamicForwardProxyBackend.exactOptional(),
      mcp: mcpBackend.exactOptional(),
      cloudA: cloudABackend.exactOptional(),
      a2a: a2aBackend.exactOptional(),
      policies: backendFull.exactOptional(),
    }),
    'ADMIT-004',
    'ai',
    'static',
    'dynamicForwardProxy',
    'mcp',
    'cloudA',
    'a2a',
  ),
  status: z.strictObject({ conditions: z.array(condition).max(8).exactOptional() }).exactOptional(),
});

export type ProxyBackend = z.infer<typeof proxyBackend>;
