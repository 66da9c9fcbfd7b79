import { asNumber, asObject, asString, entryOf } from '../../../json.ts';
import type { Json } from '../../../json.ts';
import type { StreamEvent } from '../../streams/stream-event.ts';
import { errorTypeIn } from '../../formats/error-types.ts';
import { messages } from '../../formats/messages.ts';
import type { EventTranslator } from '../stop-at-errors.ts';
import { messagesWriter } from '../messages-writer.ts';
import { replyModel, type Stamp } from '../translation.ts';
import { upstreamError } from '../upstream-error.ts';
import { messagesUsage, stopReason } from './reply.ts';

/** Events of a response in, events of a message out. */
export function messagesEvents(stamp: Stamp): EventTranslator {
  const writer = messagesWriter();
  /** Places in the output that sent pieces; the others are taken whole when they are done. */
  const pieced = new Set<string>();
  let started = false;
  let failed = false;
  let refused = false;
  let called = false;

  const start = (data: Json): readonly StreamEvent[] => {
    if (started) return [];
    started = true;
    const response = asObject(data['response']);
    return writer.start(asString(response?.['id']) ?? '', replyModel(response?.['model'], stamp));
  };

  const text = (data: Json, piece: unknown): readonly StreamEvent[] => {
    pieced.add(place(data));
    return writer.text(asString(piece) ?? '');
  };

  const wholeText = (data: Json, whole: unknown): readonly StreamEvent[] =>
    pieced.has(place(data)) ? [] : text(data, whole);

  const call = (data: Json): readonly StreamEvent[] => {
    const item = asObject(data['item']);
    if (item?.['type'] !== 'function_call') return [];
    called = true;
    return writer.tool(place(data), { id: asString(item['call_id']) ?? '', name: asString(item['name']) ?? '' });
  };

  const piece = (data: Json, written: unknown): readonly StreamEvent[] => {
    pieced.add(place(data));
    return writer.tool(place(data), { arguments: asString(written) ?? '' });
  };

  const finish = (data: Json): readonly StreamEvent[] => {
    const response = asObject(data['response']) ?? {};
    return writer.finish(ending(response), messagesUsage(asObject(response['usage'])));
  };

  /** The last event repeats the output, but not at every provider. */
  const ending = (response: Json): string => {
    if (refused) return 'refusal';
    const reason = stopReason(response);
    return reason === 'end_turn' && called ? 'tool_use' : reason;
  };

  const fail = (data: Json): readonly StreamEvent[] => {
    failed = true;
    const { message, type } = upstreamError(asObject(data['response']) ?? {});
    return [messages.errorEvent(502, message, errorTypeIn('messages', 502, type))];
  };

  const HANDLERS: Readonly<Record<string, (data: Json) => readonly StreamEvent[]>> = {
    'response.output_text.delta': (data) => text(data, data['delta']),
    'response.output_text.done': (data) => wholeText(data, data['text']),
    'response.refusal.delta': (data) => {
      refused = true;
      return text(data, data['delta']);
    },
    'response.refusal.done': (data) => {
      refused = true;
      return wholeText(data, data['refusal']);
    },
    'response.output_item.added': call,
    'response.function_call_arguments.delta': (data) => piece(data, data['delta']),
    'response.function_call_arguments.done': (data) => (pieced.has(place(data)) ? [] : piece(data, data['arguments'])),
    'response.completed': finish,
    'response.incomplete': finish,
    'response.failed': fail,
  };

  return {
    data: (data) => [...start(data), ...(entryOf(HANDLERS, data['type'])?.(data) ?? [])],
    done: () => [],
    stopped: () => undefined,
    complete: () => failed || writer.finished(),
  };
}

/** Where in the output an event belongs. */
function place(data: Json): string {
  return `${asNumber(data['output_index']) ?? 0} ${asNumber(data['content_index']) ?? 0}`;
}
