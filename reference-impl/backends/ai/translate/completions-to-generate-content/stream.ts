import { asNumber, asObjects, asString, type Json } from '../../../json.ts';
import { DONE } from '../../formats/completions.ts';
import { jsonEvent, type StreamEvent } from '../../streams/stream-event.ts';
import type { EventTranslator } from '../stop-at-errors.ts';
import { replyModel, type Stamp } from '../translation.ts';
import { completionUsage, finishReason, isBlocked, isCall, isThought, partsOf, toolCall } from './reply.ts';

/** What is known of one choice. */
interface Choice {
  /** Its tool calls so far. */
  calls: number;
  finish: string | undefined;
}

/** Events in the native form in, chunks of a chat completion out. Each event repeats its head and the usage so far. */
export function completionChunks(stamp: Stamp): EventTranslator {
  const choices = new Map<number, Choice>();
  let head: Json = {
    id: stamp.id(),
    object: 'chat.completion.chunk',
    created: stamp.created,
    model: replyModel('', stamp),
  };
  let usage: Json | undefined;
  let complete = false;

  const chunk = (index: number, delta: Json, finish: string | null = null, counts: Json = {}): StreamEvent => {
    const told = [{ index, delta, logprobs: null, finish_reason: finish }];
    return jsonEvent({ ...head, choices: told, ...counts });
  };

  const choiceAt = (index: number): { readonly choice: Choice; readonly first: boolean } => {
    const known = choices.get(index);
    if (known !== undefined) return { choice: known, first: false };
    const choice: Choice = { calls: 0, finish: undefined };
    choices.set(index, choice);
    return { choice, first: true };
  };

  const delta = (part: Json, choice: Choice): Json | undefined => {
    if (isCall(part)) {
      const index = choice.calls++;
      return { tool_calls: [{ index, ...toolCall(part, index, String(head['id'])) }] };
    }
    const text = asString(part['text']) ?? '';
    if (text === '') return undefined;
    return isThought(part) ? { reasoning_content: text } : { content: text };
  };

  const candidate = (said: Json, place: number): readonly StreamEvent[] => {
    const index = asNumber(said['index']) ?? place;
    const { choice, first } = choiceAt(index);
    const deltas = partsOf(said)
      .map((part) => delta(part, choice))
      .filter((one) => one !== undefined);
    const reason = asString(said['finishReason']);
    if (reason !== undefined) choice.finish = finishReason(reason, choice.calls > 0);
    const begun: readonly Json[] = first ? [{ role: 'assistant', content: '' }] : [];
    return [...begun, ...deltas].map((one) => chunk(index, one));
  };

  /** The usage comes with the last chunk: what the events before said was of the moment. */
  const close = (): readonly StreamEvent[] => {
    complete = true;
    const last = choices.size - 1;
    const ends = [...choices].map(([index, { finish, calls }], at) =>
      chunk(
        index,
        {},
        finish ?? finishReason(undefined, calls > 0),
        at === last && usage !== undefined ? { usage } : {},
      ),
    );
    return [...ends, DONE];
  };

  return {
    data: (event) => {
      head = {
        ...head,
        id: event['responseId'] ?? head['id'],
        model: asString(event['modelVersion']) || head['model'],
      };
      usage = completionUsage(event) ?? usage;
      const candidates = asObjects(event['candidates']);
      if (candidates.length > 0 || !isBlocked(event)) return candidates.flatMap(candidate);
      choiceAt(0).choice.finish = 'content_filter';
      return [chunk(0, { role: 'assistant', content: '' })];
    },
    done: close,
    stopped: () => ([...choices.values()].some(({ finish }) => finish !== undefined) ? close() : undefined),
    complete: () => complete,
  };
}
