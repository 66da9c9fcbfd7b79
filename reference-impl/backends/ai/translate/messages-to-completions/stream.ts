import { asObject, asObjects, asString, present } from '../../../json.ts';
import type { Json } from '../../../json.ts';
import { replyText } from '../reply-text.ts';
import type { StreamEvent } from '../../streams/stream-event.ts';
import type { EventTranslator } from '../stop-at-errors.ts';
import { callKeys } from '../../formats/call-keys.ts';
import { messagesWriter } from '../messages-writer.ts';
import { replyModel, type Stamp } from '../translation.ts';
import { messagesUsage, stopReason } from './reply.ts';

/** Chunks of a chat completion in, events of a message out. */
export function messagesEvents(stamp: Stamp): EventTranslator {
  const keyOf = callKeys();
  const writer = messagesWriter();
  let started = false;
  let finish: string | undefined;
  let usage: Json | undefined;
  let refused = false;
  let called = false;

  const complete = (): readonly StreamEvent[] =>
    writer.finish(stopReason(finish, refused, called), usage ?? messagesUsage({}));

  const start = (chunk: Json): readonly StreamEvent[] => {
    if (started) return [];
    started = true;
    return writer.start(asString(chunk['id']) ?? '', replyModel(chunk['model'], stamp));
  };

  const choice = (chosen: Json): readonly StreamEvent[] => {
    const delta = asObject(chosen['delta']) ?? {};
    const refusal = asString(delta['refusal']) ?? '';
    refused ||= refusal !== '';
    const calls = asObjects(delta['tool_calls']);
    called ||= calls.length > 0;
    finish = asString(chosen['finish_reason']) ?? finish;
    return [
      ...writer.text(`${replyText(delta['content'])}${refusal}`),
      ...calls.flatMap((call, position) => writer.tool(keyOf(call, position), toolPiece(call))),
    ];
  };

  return {
    data: (chunk) => {
      const first = asObjects(chunk['choices'])[0];
      const counted = asObject(chunk['usage']) !== undefined;
      if (counted) usage = messagesUsage(chunk);
      const events = [...start(chunk), ...(first === undefined ? [] : choice(first))];
      // Some providers count in every chunk; only counts that come with the finish reason or after it are the last.
      return finish !== undefined && counted ? [...events, ...complete()] : events;
    },
    done: () => [...start({}), ...complete()],
    stopped: () => (finish === undefined ? undefined : complete()),
    complete: writer.finished,
  };
}

function toolPiece(call: Json): { readonly id?: string; readonly name?: string; readonly arguments?: string } {
  const called = asObject(call['function']);
  return present({
    id: asString(call['id']),
    name: asString(called?.['name']),
    arguments: asString(called?.['arguments']),
  });
}
