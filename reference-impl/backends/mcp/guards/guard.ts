import type { EffectiveBackend, Origin } from '../../../attachment/policies/effective-policy.ts';
import { perObject } from '../../../base/per-object.ts';
import { compileOrFail } from '../../../cel/compile.ts';
import type { Program } from '../../../cel/program.ts';
import type { MCPGuardrails } from '../../../resources/proxy-policy/fields/mcp/backend-mcp.ts';
import type { BackendObjectReference } from '../../../resources/references.ts';
import { phases, type Phase } from './phase.ts';

/** A policy server, and what it gets to see. */
export interface Guard {
  readonly server: BackendObjectReference;
  readonly origin: Origin;
  /** GUARDMCP-015, GUARDMCP-016: FailClosed is the default. */
  readonly failOpen: boolean;
  readonly phaseOf: (method: string) => Phase;
  readonly metadata: readonly (readonly [name: string, program: Program])[];
  readonly showsHeader: (name: string) => boolean;
}

/** GUARDMCP-012: the guards of a backend, in the order of the array. */
export function guardsOf({ mcp, sources }: EffectiveBackend): readonly Guard[] {
  return mcp?.guardrails === undefined ? [] : compiled(mcp.guardrails)(sources['mcp']?.[0] ?? NOBODY);
}

const compiled = perObject((field: MCPGuardrails) =>
  perObject((origin: Origin) => (field.processors ?? []).flatMap((processor) => compileGuard(processor, origin))),
);

const NOBODY: Origin = { kind: 'ProxyPolicy', namespace: '', name: '' };

type Processor = NonNullable<MCPGuardrails['processors']>[number];

/** A processor without a server guards nothing. */
function compileGuard({ remote, methods = {} }: Processor, origin: Origin): readonly Guard[] {
  if (remote === undefined) return [];
  const { backendRef, failureMode, metadata = {}, allowedRequestHeaders, disallowedRequestHeaders } = remote;
  return [
    {
      server: backendRef,
      origin,
      failOpen: failureMode === 'FailOpen',
      phaseOf: phases(methods),
      metadata: Object.entries(metadata).map(([name, text]) => [name, compileOrFail(text)] as const),
      showsHeader: headerFilter(allowedRequestHeaders, disallowedRequestHeaders),
    },
  ];
}

/** GUARDMCP-018 to GUARDMCP-021: nothing allowed means everything is; what is disallowed stays here all the same. */
function headerFilter(allowed: readonly string[] = [], disallowed: readonly string[] = []): Guard['showsHeader'] {
  const shown = new Set(allowed.map((name) => name.toLowerCase()));
  const hidden = new Set(disallowed.map((name) => name.toLowerCase()));
  return (name) => !hidden.has(name.toLowerCase()) && (shown.size === 0 || shown.has(name.toLowerCase()));
}
