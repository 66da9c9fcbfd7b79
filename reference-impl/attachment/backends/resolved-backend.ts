import type { AgentRuntime } from './agent-runtime.ts';
import type { ProxyBackend } from '../../resources/proxy-backend/backend.ts';
import type { NamedLLMProvider } from '../../resources/proxy-backend/variants/ai.ts';
import type { McpTarget } from '../../resources/proxy-backend/variants/mcp.ts';
import type { LLMProvider } from '../../resources/proxy-backend/variants/llm-provider.ts';
import type { BackendSimple } from '../../resources/proxy-policy/backend.ts';
import type { BackendObjectReference } from '../../resources/references.ts';
import type { Target } from '../policies/targets.ts';

/** Finds what a reference leads to, before any policy. */
export type ResolveBackend = (from: Referrer, ref: BackendObjectReference) => Resolution;

/** The object a reference stands in. */
export interface Referrer {
  readonly group: string;
  readonly kind: string;
  readonly namespace: string;
}

export type Resolution = ResolvedBackend | UnresolvedReference;

export interface ResolvedBackend {
  readonly type: 'static' | 'dynamic' | 'service' | 'ai' | 'mcp' | 'a2a';
  readonly target: Target;
  /** Names the section goes by: number and name of a Service port; a pool has none. */
  readonly sections: readonly string[];
  readonly endpoints: readonly Endpoint[];
  /** `appProtocol` of the port of a Service, where it has one. */
  readonly appProtocol?: string | undefined;
  /** Set when the destination is a ProxyBackend. */
  readonly proxyBackend: ProxyBackend | undefined;
  /** Set when the destination is an LLM provider; it knows its host itself unless `endpoints` has some. */
  readonly provider?: LLMProvider;
  /** Set when a Service or InferencePool stands for the provider: policies may be attached to that too (ATTACH-015). */
  readonly service?: ServicePlace;
  /** Set when it is groups of them, in priority order. */
  readonly groups?: readonly (readonly ResolvedProvider[])[];
  /** Set when it is MCP servers behind one endpoint. */
  readonly mcpTargets?: readonly ResolvedMcpTarget[];
  /** Set when it is an agent runtime of cloud A. */
  readonly runtime?: AgentRuntime;
}

/** What policies know a Service by. */
export interface ServicePlace {
  readonly target: Target;
  readonly sections: readonly string[];
}

/** Where to connect to. */
export type Endpoint =
  | { readonly kind: 'tcp'; readonly host: string; readonly port: number }
  | { readonly kind: 'unix'; readonly path: string };

/** One provider of a group; without `endpoints` of its own, and no Service named, it knows its host itself. */
export interface ResolvedProvider {
  readonly provider: NamedLLMProvider;
  readonly endpoints: readonly Endpoint[];
  /** `appProtocol` of the port of a Service, where it has one. */
  readonly appProtocol: string | undefined;
  /** Set when a Service or InferencePool stands for it. */
  readonly service: ServicePlace | undefined;
}

/** One MCP server, before any policy. */
export interface ResolvedMcpTarget {
  /** What the names of its items are prefixed with. */
  readonly name: string;
  /** The name policies know it by (ATTACH-014): that of the target it was found for. */
  readonly section: string;
  readonly transport: McpTransport;
  readonly path: string;
  /** None when it is a Service that does not exist. */
  readonly endpoints: readonly Endpoint[];
  /** `appProtocol` of the port of a Service, where it has one. */
  readonly appProtocol: string | undefined;
  /** Set when it is a Service: policies may be attached to that too. */
  readonly service: ServicePlace | undefined;
  /** MCP-029: what the target says itself. */
  readonly policies: BackendSimple | undefined;
}

export type McpTransport = NonNullable<McpTarget['protocol']>;

export interface UnresolvedReference {
  readonly unresolved: Unresolved;
  /** As the condition ResolvedRefs of a route gives it. */
  readonly reason: 'BackendNotFound' | 'RefNotPermitted' | 'InvalidKind' | 'UnsupportedValue';
  readonly message: string;
}

/** Why a reference leads nowhere. */
export type Unresolved = 'backendNotFound' | 'serviceNotFound' | 'backendInvalid';
