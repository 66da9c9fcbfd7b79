import type { Format } from '../format.ts';
import { parseObject } from '../json.ts';
import type { Json } from '../json.ts';
import type { SseEvent } from '../sse.ts';
import type { StreamTranslator } from './translation.ts';
import { upstreamError } from './upstream-error.ts';

/** A translator of well-formed events; the rest is `guardedStream`. */
export interface EventTranslator {
  readonly data: (data: Json) => readonly SseEvent[];
  /** The upstream said `[DONE]`. */
  readonly done: () => readonly SseEvent[];
  /** The stream stopped. The events that still complete it, or undefined when it broke off in the middle. */
  readonly stopped: () => readonly SseEvent[] | undefined;
  /** The client has its last event. */
  readonly complete: () => boolean;
}

/**
 * What every translated stream has in common: an error of the upstream, an event that is no JSON and a stream that breaks
 * off become one error event of the client's format, and nothing comes after it.
 */
export function guardedStream(client: Format, translator: EventTranslator): StreamTranslator {
  let failed = false;
  const over = (): boolean => failed || translator.complete();
  const fail = (message: string, type?: string): readonly SseEvent[] => {
    failed = true;
    return [client.errorEvent(502, message, type)];
  };

  return {
    event: ({ event, data: text }) => {
      if (over()) return [];
      if (text.trim() === '[DONE]') return translator.done();
      const data = parseObject(text);
      if (data === undefined) return fail('the provider sent an event that is not JSON');
      if (!isError(event, data)) return translator.data(data);
      const { message, type } = upstreamError(data);
      return fail(message, type);
    },
    end: () => (over() ? [] : (translator.stopped() ?? fail('the stream of the provider broke off'))),
  };
}

function isError(event: string | undefined, data: Json): boolean {
  return (
    event === 'error' ||
    data['type'] === 'error' ||
    (data['error'] !== undefined && data['error'] !== null && data['type'] === undefined)
  );
}
