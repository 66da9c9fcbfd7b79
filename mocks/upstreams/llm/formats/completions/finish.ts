import type { Json } from '../../../../json.ts';

/**
 * The format's word for a neutral one. The provider says `stop` after a call of the one tool that was named, in a document and in a stream
 * (its answers are recorded in https://github.com/vllm-project/vllm/pull/25054).
 */
export function finishReason(word: string, { tool_choice: choice }: Json): string {
  if (word === 'tools' && typeof choice === 'object' && choice !== null && 'function' in choice) return 'stop';
  return FINISH[word] ?? word;
}

const FINISH: Readonly<Record<string, string>> = {
  stop: 'stop',
  length: 'length',
  tools: 'tool_calls',
  filter: 'content_filter',
};
