import { perObject } from '../../../base/per-object.ts';
import type { Targeted } from '../../../exchange/exchange.ts';

/** Whether an expression of the policies that hold for a request looks at what the model said: only then is it kept. */
export function isCaptured({ listener, rule, backend }: Targeted): boolean {
  return [listener.preRouting, listener.frontend, rule.postRouting, backend.policies].some(looksAtReply);
}

/** `llm` whole, by a name that is computed, or one of the two members. Too often is no harm. */
const LOOKS_AT_REPLY = /\bllm\b(?!\s*\.\s*(?!completion\b|toolCalls\b)[A-Za-z_])/;

const looksAtReply = perObject((policies: object) => LOOKS_AT_REPLY.test(JSON.stringify(policies)));
