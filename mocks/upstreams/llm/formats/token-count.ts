import type { Json } from '../../../json.ts';
import type { Said } from '../said.ts';
import type { LlmFormat, Problem } from './format.ts';
import { keyAndVersionProblem, messagesError } from './messages/dialect.ts';
import { messagesProblem } from './messages/request.ts';
import { problem } from './schema.ts';

/** How many tokens a request of messages has. */
export const tokenCount: LlmFormat = {
  name: 'TokenCount',
  path: '/v1/messages/count_tokens',
  headerProblem: keyAndVersionProblem,
  bodyProblem: tokenCountProblem,
  error: messagesError,
  reply: tokenCountReply,
};

/** It takes what the tokens depend on, and nothing that says how to answer. */
export function tokenCountProblem(request: Json): Problem | undefined {
  const stray = Object.keys(request).find((member) => !COUNTED.has(member));
  if (stray !== undefined) return problem(`${stray}: Extra inputs are not permitted`, stray);
  return messagesProblem({ ...request, max_tokens: 100_000 });
}

export function tokenCountReply({ tokens }: Said): Json {
  return { input_tokens: tokens?.input ?? 0 };
}

const COUNTED: ReadonlySet<string> = new Set([
  'model',
  'messages',
  'system',
  'tools',
  'tool_choice',
  'thinking',
  'output_config',
  'cache_control',
]);
