import type { Format, Usage } from './format.ts';
import { asObject, asString, numberAt, type Json } from '../../json.ts';
import { completionsError } from './completions.ts';
import { embeddings } from './embeddings.ts';

/** Rerank: `query` and `documents` in, `results` out, each with the index of its document and a score (ROUTES-016). */
export const rerank: Format = {
  ...embeddings,
  name: 'rerank',
  requestProblem: (request) => {
    if (typeof request['model'] !== 'string') return 'missing field: model not specified';
    if (typeof request['query'] !== 'string') return 'missing field: query';
    const { documents } = request;
    if (!Array.isArray(documents)) return 'missing field: documents';
    return documents.length === 0 ? 'documents has no document' : undefined;
  },
  usage: rerankUsage,
  usageOfEvent: () => undefined,
  responseModel: (reply) => asString(reply['model']),
  error: (status, message, type) => completionsError(status, message, type),
};

/** Some count the tokens they were sent, some those they bill, in units of their own or not at all. */
function rerankUsage(reply: Json): Usage | undefined {
  const usage = asObject(reply['usage']);
  const meta = asObject(reply['meta']);
  const counted = asObject(meta?.['tokens']) ?? asObject(meta?.['billed_units']);
  const input = numberAt(usage, 'prompt_tokens') ?? numberAt(counted, 'input_tokens');
  const output = numberAt(usage, 'completion_tokens') ?? numberAt(counted, 'output_tokens');
  const inputTokens = input ?? numberAt(usage, 'total_tokens');
  if (inputTokens === undefined) return undefined;
  const outputTokens = output ?? 0;
  return { inputTokens, outputTokens, totalTokens: inputTokens + outputTokens };
}
