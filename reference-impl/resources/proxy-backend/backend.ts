import { z } from 'zod';
import { envelope, PROXY_API_VERSION } from '../envelope.ts';
import { exactlyOne, isFields, rule } from '../groups.ts';
import { condition } from '../metadata.ts';
import { described, noted } from '../notes.ts';
import { backendFull } from '../proxy-policy/backend.ts';
import { a2aBackend } from './variants/a2a.ts';
import { aiBackend } from './variants/ai.ts';
import { cloudABackend } from './variants/cloud-a.ts';
import { dynamicForwardProxyBackend } from './variants/dynamic-forward-proxy.ts';
import { mcpBackend } from './variants/mcp.ts';
import { staticBackend } from './variants/static.ts';

const VARIANTS = ['ai', 'static', 'dynamicForwardProxy', 'mcp', 'cloudA', 'a2a'] as const;

const variants = exactlyOne(
  described(
    z.strictObject({
      ai: aiBackend.exactOptional(),
      static: staticBackend.exactOptional(),
      dynamicForwardProxy: dynamicForwardProxyBackend.exactOptional(),
      mcp: mcpBackend.exactOptional(),
      cloudA: cloudABackend.exactOptional(),
      a2a: a2aBackend.exactOptional(),
      policies: noted(backendFull, {
        text: 'Settings for this destination; each of them wins over the same one from a ProxyPolicy.',
      }).exactOptional(),
    }),
    {
      ai: 'LLM providers, alone or in groups by priority.',
      static: 'One host and port, or a Unix domain socket.',
      dynamicForwardProxy: 'The destination the request names. It can reach any host: put access control before it.',
      mcp: 'MCP servers behind one endpoint.',
      cloudA: 'An agent runtime of cloud A.',
      a2a: 'An agent that speaks A2A.',
    },
    'Exactly one destination, with policies of its own.',
  ),
  'ADMIT-004',
  ...VARIANTS,
);

/** Policy fields that have a meaning for one type of backend only: the field is the type. */
const spec = (['ai', 'mcp'] as const).reduce(
  (schema, type) =>
    rule(
      schema,
      'ADMIT-153',
      (backend) =>
        !isFields(backend['policies']) || backend['policies'][type] === undefined || backend[type] !== undefined,
      `${type} policies are for backends of type ${type}`,
      `!has(self.policies) || !has(self.policies.${type}) || has(self.${type})`,
    ),
  variants,
);

/**
 * A destination: exactly one of six variants (ADMIT-004, ADMIT-005), with policies of its own. Those win over a
 * ProxyPolicy, field by field.
 */
export const proxyBackend = noted(
  described(
    z.strictObject({
      ...envelope(PROXY_API_VERSION, 'ProxyBackend'),
      spec,
      status: described(
        z.strictObject({ conditions: noted(z.array(condition).max(8), { clause: 'LIMIT-023' }).exactOptional() }),
        { conditions: 'What the controller says of the backend, up to 8.' },
      ).exactOptional(),
    }),
    {
      spec: 'Exactly one destination, with policies of its own.',
      status: 'What the controller observed; written by it alone.',
    },
  ),
  { text: 'A destination of traffic: LLM providers, a host, MCP targets, an agent.', requires: 'ADMIT-003' },
);

export type ProxyBackend = z.infer<typeof proxyBackend>;
