/**
 * What was learnt about a request on the way. Each fact is the root of the same name in expressions and in snapshots
 * (`request-state.ts`), and nothing else is a fact: what only later steps need is in the `Handover`.
 */
export interface Facts {
  /** Values stored by transformation.metadata. */
  readonly metadata?: Readonly<Record<string, unknown>>;
  /** Claims of the token jwtAuthentication accepted. */
  readonly jwt?: Readonly<Record<string, unknown>>;
  /** Metadata of the key apiKeyAuthentication accepted. */
  readonly apiKey?: Readonly<Record<string, unknown>>;
  /** The user basicAuthentication accepted. */
  readonly basicAuth?: { readonly username: string };
  /** What the external authorization server said about the request (EXTAUTH-019). */
  readonly extauthz?: Readonly<Record<string, unknown>>;
  /** What the external processor said about it. */
  readonly extproc?: Readonly<Record<string, unknown>>;
  /** The call to an LLM provider, once the request reached one. It tells more while the reply passes. */
  readonly llm?: () => Readonly<Record<string, unknown>>;
  /** What an MCP request asks for, once it is read. It tells more when its target is found. */
  readonly mcp?: () => Readonly<Record<string, unknown>>;
  /** What guards of MCP messages said about the request. */
  readonly mcpGuardrails?: () => Readonly<Record<string, unknown>> | undefined;
}
