import type { VariableSource } from '../../../cel/program.ts';
import type { Received } from '../../../exchange/exchange.ts';
import { requestVariables } from '../../../exchange/request-state.ts';
import type { Json } from '../../json.ts';

/**
 * XFORM-003: expressions see the request with its body, and the body as `llmRequest`; undefined when it is no JSON.
 * docs/decisions/llm-variables.md
 */
export function llmVariables(exchange: Received, llmRequest: Json | undefined, body: Uint8Array): VariableSource {
  const source = requestVariables(exchange);
  return (root) => {
    if (root === 'llmRequest') return llmRequest;
    const value = source(root);
    return root === 'request' && typeof value === 'object' && value !== null
      ? { ...value, body, bodyPrefix: body }
      : value;
  };
}
