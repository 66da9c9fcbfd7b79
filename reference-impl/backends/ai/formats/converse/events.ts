import { Buffer } from 'node:buffer';
import { asString, entryOf, parseJson, parseObject, type Json } from '../../../json.ts';
import { eventStreamDecoder, type EventStreamMessage } from '../../streams/binary-events.ts';
import { jsonEvent, receivedEvent, type StreamEvent } from '../../streams/stream-event.ts';
import type { EventCutter } from '../../streams/stream-form.ts';
import { errorType } from '../error-types.ts';

/**
 * The binary event stream of Converse as events whose JSON is an object with one member, named as the event:
 * `{"messageStop": {"stopReason": "end_turn"}}`.
 */
export function converseEvents(): EventCutter {
  const decoder = eventStreamDecoder();
  return {
    push: (bytes) => decoder.push(bytes).map(eventOf),
    // What is left at the end is half an event, and the missing end of the message tells of it.
    end: () => [],
    failure: decoder.failure,
  };
}

function eventOf({ headers, payload }: EventStreamMessage): StreamEvent {
  const text = Buffer.from(payload).toString('utf8');
  if (headers.get(':message-type') !== 'event') return errorEvent(headers, text);
  const parse = (data: string): Json | undefined => {
    const said = parseJson(data);
    return said === undefined ? undefined : { [headers.get(':event-type') ?? '']: said };
  };
  return receivedEvent({ bytes: payload, data: text, parse });
}

/** The provider gives up in the middle of a stream: an exception it has a name for, or an error it has not. */
function errorEvent(headers: ReadonlyMap<string, string>, payload: string): StreamEvent {
  const name = headers.get(':exception-type') ?? headers.get(':error-code') ?? '';
  const message = asString(parseObject(payload)?.['message']) ?? headers.get(':error-message') ?? name;
  const type = errorType(entryOf(STATUS, name) ?? 500);
  return jsonEvent({ error: { type, message } }, 'error');
}

/** The status each exception has when it comes instead of a stream. */
const STATUS: Readonly<Record<string, number>> = {
  validationException: 400,
  throttlingException: 429,
  modelStreamErrorException: 424,
  serviceUnavailableException: 503,
};
