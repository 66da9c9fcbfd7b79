/**
 * The root variables an expression may name (docs/decisions/cel-functions.md). A known root without a value is null; any other name is an
 * undeclared reference and fails.
 */
export const ROOTS: ReadonlySet<string> = new Set([
  'request',
  'response',
  'source',
  'destination',
  'proxy',
  'env',
  'jwt',
  'apiKey',
  'basicAuth',
  'backend',
  'llm',
  'llmRequest',
  'mcp',
  'extauthz',
  'extproc',
  'mcpGuardrails',
  'metadata',
]);
