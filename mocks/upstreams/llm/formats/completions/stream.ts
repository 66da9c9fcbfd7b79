import type { Json } from '../../../../json.ts';
import type { Said } from '../../said.ts';
import { callId } from '../../said.ts';
import type { SpokenPiece, StreamWriter } from '../format.ts';
import { CREATED, sse } from '../format.ts';
import { completionUsage, openAiError } from '../openai-dialect.ts';
import { finishReason } from './finish.ts';

/** Chunks of one answer. The provider counts tokens in a stream only for who asks with `stream_options`. */
export function completionsStream(said: Said, request: Json, model: string): StreamWriter {
  const wantsUsage = includesUsage(request);
  const begun = new Set<number>();
  const written = { finish: false, usage: false };

  const chunk = (choices: readonly Json[], usage: Json | null = null): string =>
    sse({
      id: 'chatcmpl-mock',
      object: 'chat.completion.chunk',
      created: CREATED,
      model,
      service_tier: 'default',
      system_fingerprint: 'fp_mock',
      choices,
      ...(wantsUsage ? { usage } : {}),
    });
  const delta = (index: number, content: Json): string => {
    const role = begun.has(index) ? {} : { role: 'assistant' };
    begun.add(index);
    return chunk([{ index, delta: { ...role, ...content }, logprobs: null, finish_reason: null }]);
  };
  const finish = (word: string): string => {
    written.finish = true;
    const indexes = begun.size === 0 ? [0] : [...begun];
    const reason = finishReason(word, request);
    return chunk(indexes.map((index) => ({ index, delta: {}, logprobs: null, finish_reason: reason })));
  };
  const finishOnce = (): string => (written.finish ? '' : finish(said.finish));
  const usage = (): string => {
    if (written.usage || !wantsUsage || said.tokens === undefined) return '';
    written.usage = true;
    return chunk([], completionUsage(said.tokens));
  };
  const write = (piece: SpokenPiece): string => {
    if ('delta' in piece) return delta(piece.choice ?? 0, { content: piece.delta });
    if ('reasoning' in piece) return delta(0, { reasoning_content: piece.reasoning });
    if ('toolCall' in piece) return delta(0, { tool_calls: [callPiece(piece.toolCall)] });
    if ('finish' in piece) return finish(piece.finish);
    return finishOnce() + usage();
  };
  return {
    write,
    ping: () => ': keep-alive\n\n',
    error: (problem) => sse(openAiError(problem)),
    end: () => `${finishOnce()}${usage()}${sse('[DONE]')}`,
  };
}

function includesUsage(request: Json): boolean {
  const options = request['stream_options'];
  return (
    typeof options === 'object' && options !== null && 'include_usage' in options && options.include_usage === true
  );
}

/** The first piece of a call has its id and name, the others only text. */
function callPiece(piece: Extract<SpokenPiece, { toolCall: unknown }>['toolCall']): Json {
  const { index = 0, id, name, arguments: text = '' } = piece;
  if (name === undefined) return { index, ...(id === undefined ? {} : { id }), function: { arguments: text } };
  return { index, id: id ?? callId(index), type: 'function', function: { name, arguments: text } };
}
