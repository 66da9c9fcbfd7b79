import { asNumber, asObject, asObjects, asString, entryOf, type Json } from '../../json.ts';

/** How a model of provider 4 is asked to think, and how much it may write then, its thoughts included. */
export interface Thinking {
  readonly thinking: Json;
  readonly maxTokens: number;
}

/**
 * The effort that a client of completions asks for. Undefined when the model is not to think, or the provider would refuse
 * it: a tool is forced, or a call is answered without what the model thought before. docs/decisions/ai-formats.md
 */
export function thinkingFor(request: Json): Thinking | undefined {
  const wanted = thinkingTokens(request['reasoning_effort']);
  if (wanted === undefined || forcesTool(request) || answersWithoutThoughts(request)) return undefined;
  const limit = tokenLimit(request);
  // The limit counts thoughts and answer: the answer has half of it at least.
  const budget = limit === undefined ? wanted : Math.min(wanted, Math.floor(limit / 2));
  if (budget < LEAST_BUDGET) return undefined;
  return { thinking: { type: 'enabled', budget_tokens: budget }, maxTokens: limit ?? wanted + ROOM_FOR_ANSWER };
}

/** The limit of a client of completions. */
export function tokenLimit(request: Json): number | undefined {
  return asNumber(request['max_completion_tokens']) ?? asNumber(request['max_tokens']);
}

/** The tokens to think with for an effort of completions; undefined when it is none, or not known. */
export function thinkingTokens(effort: unknown): number | undefined {
  return entryOf(BUDGETS, effort);
}

const BUDGETS: Readonly<Record<string, number>> = {
  minimal: 1024,
  low: 1024,
  medium: 2048,
  high: 4096,
  xhigh: 8192,
  max: 16384,
};

/** The provider takes no smaller one. */
const LEAST_BUDGET = 1024;

/** For the answer of a client that names no limit. */
const ROOM_FOR_ANSWER = 4096;

function forcesTool({ tools, tool_choice: choice }: Json): boolean {
  return asObjects(tools).length > 0 && (choice === 'required' || asObject(choice) !== undefined);
}

function answersWithoutThoughts(request: Json): boolean {
  const messages = asObjects(request['messages']);
  const last = messages.findLastIndex(({ role }) => role === 'assistant');
  const answers = messages.slice(last + 1).some(({ role }) => role === 'tool');
  return answers && (asString(messages[last]?.['reasoning_signature']) ?? '') === '';
}
