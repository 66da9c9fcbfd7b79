import { asObject, asString, entryOf } from '../../../json.ts';
import type { Json } from '../../../json.ts';
import { DONE } from '../../formats/completions.ts';
import { jsonEvent, type StreamEvent } from '../../streams/stream-event.ts';
import type { EventTranslator } from '../stop-at-errors.ts';
import { replyModel, type Stamp } from '../translation.ts';
import { completionUsage, finishReason, isOwnCall, isThought, isToolUse } from './reply.ts';

/** The tool call whose block is open. */
interface OpenCall {
  readonly index: number;
  /** Whether any of its arguments came. */
  argued: boolean;
}

/** Events of a message in, chunks of a chat completion out. */
export function completionChunks(stamp: Stamp): EventTranslator {
  const { created } = stamp;
  let head: Json = { id: '', object: 'chat.completion.chunk', created, model: '' };
  let usage: Json = {};
  let calls = 0;
  let open: OpenCall | undefined;
  let called = false;
  let thoughts = 0;
  let signature = '';
  let stopped = false;
  let complete = false;

  const chunk = (delta: Json, finish: string | null = null, counts: Json = {}): StreamEvent => {
    const choices = [{ index: 0, delta, logprobs: null, finish_reason: finish }];
    return jsonEvent({ ...head, choices, ...counts });
  };

  const piece = (text: string): StreamEvent =>
    chunk({ tool_calls: [{ index: open?.index ?? 0, function: { arguments: text } }] });

  const startBlock = (block: Json): readonly StreamEvent[] => {
    open = undefined;
    if (isThought(block['type'])) thoughts += 1;
    called ||= isOwnCall(block);
    if (!isToolUse(block['type'])) return textOf(block).map((text) => chunk({ content: text }));
    open = { index: calls++, argued: false };
    const call = { index: open.index, id: block['id'], type: 'function', function: { name: block['name'] } };
    return [chunk({ tool_calls: [call] }), ...argument(wholeInput(block))];
  };

  const argument = (text: string): readonly StreamEvent[] => {
    if (open === undefined || text === '') return [];
    open.argued = true;
    return [piece(text)];
  };

  const stopBlock = (): readonly StreamEvent[] => {
    const events = open === undefined || open.argued ? [] : [piece('{}')];
    open = undefined;
    return events;
  };

  const delta = (data: Json): readonly StreamEvent[] => {
    const { type, ...rest } = asObject(data['delta']) ?? {};
    if (type === 'text_delta') return [chunk({ content: rest['text'] })];
    if (type === 'thinking_delta') return [chunk({ reasoning_content: rest['thinking'] })];
    if (type === 'signature_delta') signature += asString(rest['signature']) ?? '';
    return type === 'input_json_delta' ? argument(asString(rest['partial_json']) ?? '') : [];
  };

  /** Told when it is known that there is no other thought: joined to one text they have no proof. */
  const proof = (): readonly StreamEvent[] =>
    thoughts === 1 && signature !== '' ? [chunk({ reasoning_signature: signature })] : [];

  const HANDLERS: Readonly<Record<string, (data: Json) => readonly StreamEvent[]>> = {
    message_start: (data) => {
      const message = asObject(data['message']) ?? {};
      head = { ...head, id: message['id'] ?? '', model: replyModel(message['model'], stamp) };
      usage = { ...usage, ...asObject(message['usage']) };
      return [chunk({ role: 'assistant', content: '' })];
    },
    content_block_start: (data) => startBlock(asObject(data['content_block']) ?? {}),
    content_block_delta: delta,
    content_block_stop: stopBlock,
    message_delta: (data) => {
      usage = { ...usage, ...countsThatSay(asObject(data['usage'])) };
      const reason = asString(asObject(data['delta'])?.['stop_reason']);
      if (reason === undefined || stopped) return [];
      stopped = true;
      return [...proof(), chunk({}, finishReason(reason, called), { usage: completionUsage(usage) })];
    },
    message_stop: () => {
      complete = true;
      return [
        ...(stopped ? [] : [chunk({}, finishReason(undefined, called), { usage: completionUsage(usage) })]),
        DONE,
      ];
    },
  };

  const close = (): readonly StreamEvent[] => {
    complete = true;
    return [DONE];
  };

  return {
    data: (data) => entryOf(HANDLERS, data['type'])?.(data) ?? [],
    done: close,
    stopped: () => (stopped ? close() : undefined),
    complete: () => complete,
  };
}

function textOf(block: Json): readonly string[] {
  const text = block['type'] === 'text' ? asString(block['text']) : undefined;
  return text === undefined || text === '' ? [] : [text];
}

/** Some providers send the whole input with the start of the block. */
function wholeInput(block: Json): string {
  const input = asObject(block['input']);
  return input === undefined || Object.keys(input).length === 0 ? '' : JSON.stringify(input);
}

/** Counts of the last event that say something; a 0 for the input repeats nothing. */
function countsThatSay(usage: Json | undefined): Json {
  return Object.fromEntries(Object.entries(usage ?? {}).filter(([, count]) => typeof count === 'number' && count > 0));
}
