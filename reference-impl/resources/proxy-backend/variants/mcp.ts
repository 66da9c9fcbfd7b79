import { z } from 'zod';
import { exactlyOne, isFields, rule } from '../../groups.ts';
import { labelSelector } from '../../metadata.ts';
import { described, noted, uniqueNames } from '../../notes.ts';
import { backendSimple } from '../../proxy-policy/backend.ts';
import { failureMode } from '../../proxy-policy/fields/failure-mode.ts';
import { isService, localObjectReference } from '../../references.ts';
import { listOf, longString, portNumber, sectionName, shortString } from '../../scalars.ts';

const address = exactlyOne(
  noted(
    described(
      z.strictObject({
        host: shortString.exactOptional(),
        backendRef: localObjectReference.exactOptional(),
        port: portNumber,
        path: noted(longString, { defaultText: '/sse for SSE, /mcp for StreamableHTTP' }).exactOptional(),
        protocol: noted(z.enum(['StreamableHTTP', 'SSE']), { clause: 'ADMIT-160' }).exactOptional(),
        policies: backendSimple.exactOptional(),
      }),
      {
        host: 'Host name or address.',
        backendRef: 'A Service of the same namespace; instead of host.',
        port: 'Port number, 1 to 65535.',
        path: 'Path of the endpoint.',
        protocol: 'Transport of the server.',
        policies: 'Settings for this server; beside host only.',
      },
      'One MCP server.',
    ),
    { requires: 'ADMIT-040' },
  ),
  'ADMIT-039',
  'host',
  'backendRef',
);

/** A server by host, or by a Service of the same namespace; `port` goes with either (ADMIT-039 to ADMIT-041). */
const mcpTarget = rule(
  rule(
    address,
    'ADMIT-041',
    (target) => target['backendRef'] === undefined || target['policies'] === undefined,
    'policies are for targets with host only',
    '!has(self.backendRef) || !has(self.policies)',
  ),
  'ADMIT-153',
  (target) => !isFields(target['backendRef']) || isService(target['backendRef']),
  'backendRef must name a Service',
  `!has(self.backendRef) || ((!has(self.backendRef.kind) || self.backendRef.kind == 'Service') &&
    (!has(self.backendRef.group) || self.backendRef.group == ''))`,
);

/** A named target: one server, or the Services a selector finds (ADMIT-037, ADMIT-038). */
const mcpTargetSelector = exactlyOne(
  noted(
    described(
      z.strictObject({
        name: sectionName,
        selector: described(
          z.strictObject({
            namespaces: noted(labelSelector, { defaultText: 'the namespace of the backend' }).exactOptional(),
            services: labelSelector.exactOptional(),
          }),
          { namespaces: 'Namespaces to look in.', services: 'Services to take.' },
        ).exactOptional(),
        static: mcpTarget.exactOptional(),
      }),
      {
        name: 'Name of the target; prefixes of tools come from it.',
        selector: 'Finds Services by labels.',
        static: 'One server.',
      },
      'A named target.',
    ),
    { requires: 'ADMIT-038' },
  ),
  'ADMIT-037',
  'selector',
  'static',
);

/** MCP servers behind one endpoint, under different names; 1 to 32 (ADMIT-033). */
export const mcpBackend = noted(
  described(
    z.strictObject({
      targets: noted(listOf(mcpTargetSelector, 1, 32), { clause: 'ADMIT-033', validations: [uniqueNames('target')] }),
      /** Stateful issues a session id and keeps a session with one replica. */
      sessionRouting: noted(z.enum(['Stateful', 'Stateless']), {
        default: 'Stateful',
        clause: 'ADMIT-034',
      }).exactOptional(),
      failureMode: noted(failureMode, { default: 'FailClosed', clause: 'ADMIT-035' }).exactOptional(),
      /** Conditional: names carry the name of their target only where there are several. */
      prefixMode: noted(z.enum(['Conditional', 'Always', 'Never']), {
        default: 'Conditional',
        clause: 'ADMIT-036',
      }).exactOptional(),
    }),
    {
      targets: '1 to 32 named targets.',
      sessionRouting: 'Whether a session keeps to one replica.',
      failureMode: 'Whether one failing target fails the whole or is left out.',
      prefixMode: 'When names carry that of their target; Conditional: with several targets only.',
    },
  ),
  { text: 'MCP servers behind one endpoint.', requires: 'ADMIT-033' },
);

export type MCPBackend = z.infer<typeof mcpBackend>;
export type McpTargetSelector = z.infer<typeof mcpTargetSelector>;
export type McpTarget = z.infer<typeof mcpTarget>;
