import { z } from 'zod';
import { exactlyOne, isFields, rule } from '../../groups.ts';
import { labelSelector } from '../../metadata.ts';
import { backendSimple } from '../../proxy-policy/backend.ts';
import { failureMode } from '../../proxy-policy/fields/failure-mode.ts';
import { localObjectReference } from '../../references.ts';
import { listOf, longString, portNumber, sectionName, shortString } from '../../scalars.ts';

const address = exactlyOne(
  z.strictObject({
    host: shortString.exactOptional(),
    backendRef: localObjectReference.exactOptional(),
    port: portNumber,
    path: longString.exactOptional(),
    protocol: z.enum(['StreamableHTTP', 'SSE']).exactOptional(),
    policies: backendSimple.exactOptional(),
  }),
  'ADMIT-039',
  'host',
  'backendRef',
);

const mcpTarget = rule(
  rule(
    address,
    'ADMIT-041',
    (target) => target['backendRef'] === undefined || target['policies'] === undefined,
    'policies are for targets with host only',
  ),
  'ADMIT-153',
  (target) => !isFields(target['backendRef']) || (target['backendRef']['kind'] ?? 'Service') === 'Service',
  'backendRef must name a Service',
);

const mcpTargetSelector = exactlyOne(
  z.strictObject({
    name: sectionName,
    selector: z
      .strictObject({ namespaces: labelSelector.exactOptional(), services: labelSelector.exactOptional() })
      .exactOptional(),
    static: mcpTarget.exactOptional(),
  }),
  'ADMIT-037',
  'selector',
  'static',
);

export const mcpBackend = z.strictObject({
  targets: listOf(mcpTargetSelector, 1, 32),
  sessionRouting: z.enum(['Stateful', 'Stateless']).exactOptional(),
  failureMode: failureMode.exactOptional(),
  prefixMode: z.enum(['Conditional', 'Always', 'Never']).exactOptional(),
});

export type MCPBackend = z.infer<typeof mcpBackend>;
export type McpTarget = z.infer<typeof mcpTarget>;
