import { asNumber, asObject, asString, entryOf } from '../../../json.ts';
import type { Json } from '../../../json.ts';
import { DONE } from '../../formats/completions.ts';
import { jsonEvent, type StreamEvent } from '../../streams/stream-event.ts';
import { completionUsage } from '../completions-to-messages/reply.ts';
import { usageOf } from '../converse/reply-parts.ts';
import type { EventTranslator } from '../stop-at-errors.ts';
import type { Stamp } from '../translation.ts';
import { finishReason } from './reply.ts';
import { namesIn } from './request.ts';

/** A tool call whose block is open. */
interface OpenCall {
  readonly index: number;
  /** Whether any of its arguments came. */
  argued: boolean;
}

/** Events of Converse in, chunks of a chat completion out. */
export function completionChunks({ created, id, request = {} }: Stamp): EventTranslator {
  const names = namesIn(request);
  const head = { id: `chatcmpl-${id()}`, object: 'chat.completion.chunk', created, model: request['model'] ?? '' };
  const calls = new Map<number, OpenCall>();
  let stopped = false;
  let complete = false;

  const chunk = (delta: Json, finish: string | null = null): StreamEvent => {
    const choices = [{ index: 0, delta, logprobs: null, finish_reason: finish }];
    return jsonEvent({ ...head, choices });
  };

  const piece = (call: OpenCall, text: string): readonly StreamEvent[] => {
    if (text === '') return [];
    call.argued = true;
    return [chunk({ tool_calls: [{ index: call.index, function: { arguments: text } }] })];
  };

  const close = (): readonly StreamEvent[] => {
    complete = true;
    return [DONE];
  };

  const HANDLERS: Readonly<Record<string, (data: Json) => readonly StreamEvent[]>> = {
    messageStart: () => [chunk({ role: 'assistant', content: '' })],
    contentBlockStart: (data) => {
      const use = asObject(asObject(data['start'])?.['toolUse']);
      if (use === undefined) return [];
      const index = calls.size;
      calls.set(blockOf(data), { index, argued: false });
      const called = { name: names.restored(asString(use['name']) ?? '') };
      return [chunk({ tool_calls: [{ index, id: use['toolUseId'], type: 'function', function: called }] })];
    },
    contentBlockDelta: (data) => {
      const delta = asObject(data['delta']) ?? {};
      const call = calls.get(blockOf(data));
      const input = asString(asObject(delta['toolUse'])?.['input']);
      if (call !== undefined && input !== undefined) return piece(call, input);
      return deltasOf(delta).map((one) => chunk(one));
    },
    contentBlockStop: (data) => {
      const call = calls.get(blockOf(data));
      return call === undefined || call.argued ? [] : piece(call, '{}');
    },
    messageStop: (data) => {
      stopped = true;
      return [chunk({}, finishReason(data['stopReason'], calls.size > 0))];
    },
    metadata: (data) => {
      const usage = completionUsage(usageOf(data));
      const counted = jsonEvent({ ...head, choices: [], usage });
      return stopped ? [counted, ...close()] : [counted];
    },
  };

  return {
    data: (data) =>
      Object.entries(data).flatMap(([name, event]) => entryOf(HANDLERS, name)?.(asObject(event) ?? {}) ?? []),
    done: close,
    stopped: () => (stopped ? close() : undefined),
    complete: () => complete,
  };
}

function blockOf(data: Json): number {
  return asNumber(data['contentBlockIndex']) ?? 0;
}

/** Text, thoughts, or the proof of thoughts that a piece adds. */
function deltasOf(delta: Json): readonly Json[] {
  const reasoning = asObject(delta['reasoningContent']);
  const pieces: readonly (readonly [member: string, text: unknown])[] = [
    ['content', delta['text']],
    ['reasoning_content', reasoning?.['text']],
    ['reasoning_signature', reasoning?.['signature']],
  ];
  return pieces
    .filter(([, text]) => asString(text) !== undefined && text !== '')
    .map(([member, text]) => ({ [member]: text }));
}
