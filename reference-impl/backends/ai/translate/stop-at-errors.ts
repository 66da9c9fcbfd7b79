import { errorTypeIn } from '../formats/error-types.ts';
import type { Format } from '../formats/format.ts';
import type { Json } from '../../json.ts';
import type { StreamEvent } from '../streams/stream-event.ts';
import type { StreamTranslator } from './translation.ts';
import { upstreamError } from './upstream-error.ts';

/** A translator of well-formed events; `stopAtErrors` adds the rest. */
export interface EventTranslator {
  readonly data: (data: Json) => readonly StreamEvent[];
  /** The upstream said `[DONE]`. */
  readonly done: () => readonly StreamEvent[];
  /** The stream stopped. The events that still complete it, or undefined when it broke off in the middle. */
  readonly stopped: () => readonly StreamEvent[] | undefined;
  /** The client has its last event. */
  readonly complete: () => boolean;
}

/**
 * What every translated stream has in common: an error of the upstream, an event that is no JSON and a stream that breaks
 * off become one error event of the client's format, and nothing comes after it.
 */
export function stopAtErrors(client: Format, translator: EventTranslator): StreamTranslator {
  let failed = false;
  const over = (): boolean => failed || translator.complete();
  const fail = (message: string, type?: string): readonly StreamEvent[] => {
    failed = true;
    return [client.errorEvent(502, message, type && errorTypeIn(client.name, 502, type))];
  };

  return {
    event: (event) => {
      if (over()) return [];
      if (event.data?.trim() === '[DONE]') return translator.done();
      const { name, json } = event;
      if (json === undefined) return fail('the provider sent an event that is not JSON');
      if (!isError(name, json)) return translator.data(json);
      const { message, type } = upstreamError(json);
      return fail(message, type);
    },
    end: () => (over() ? [] : (translator.stopped() ?? fail('the stream of the provider broke off'))),
  };
}

function isError(name: string | undefined, data: Json): boolean {
  return (
    name === 'error' ||
    data['type'] === 'error' ||
    (data['error'] !== undefined && data['error'] !== null && data['type'] === undefined)
  );
}
