import { Buffer } from 'node:buffer';
import type { Body } from '../../base/body.ts';
import type { Cancellation } from '../../base/cancellation.ts';
import type { Format, UpstreamFormat } from './format.ts';
import type { LlmCall } from './llm-call.ts';
import { countEvent, heard } from './observed-stream.ts';
import { writeSse, type SseEvent } from './sse.ts';
import { sseDecoder } from './stream-decoder.ts';
import type { StreamTranslator } from './translate/translation.ts';

/** The two sides of a translated stream. */
export interface Sides {
  readonly client: Format;
  readonly upstream: UpstreamFormat;
  readonly translator: StreamTranslator;
}

/**
 * The events of the provider as events of the client, each as soon as it can be told. When the provider breaks off,
 * the client gets an error of its own format.
 */
export function translatedStream(body: Body, sides: Sides, call: LlmCall, cancellation: Cancellation): Body {
  const { client, upstream, translator } = sides;
  const decoder = (upstream.decoder ?? sseDecoder)();
  let over = false;

  const translate = (events: readonly SseEvent[]): readonly SseEvent[] =>
    events.flatMap((event) => {
      countEvent(event.data, upstream, call);
      return translator.event(event);
    });
  const tell = (events: readonly SseEvent[]): Uint8Array | undefined => {
    if (call.said !== undefined) for (const { data } of events) heard(data, call.said);
    return bytesOf(events);
  };
  const end = (last: readonly SseEvent[]): Uint8Array | undefined => {
    over = true;
    call.finish();
    return tell(last);
  };
  const next = async (): Promise<Uint8Array | undefined> => {
    const chunk = await body.read();
    if (chunk === undefined) return end([...translate(decoder.end()), ...translator.end()]);
    const events = translate(decoder.push(chunk));
    const failure = decoder.failure();
    if (failure === undefined) return tell(events);
    body.cancel();
    return end([...events, client.errorEvent(502, failure)]);
  };
  const read = async (): Promise<Uint8Array | undefined> => {
    try {
      for (;;) {
        if (over) return undefined;
        const told = await next();
        // A piece of the provider's may be too small to tell anything.
        if (told !== undefined) return told;
      }
    } catch (error) {
      if (cancellation.reason !== undefined || over) throw error;
      return end(translator.end());
    }
  };
  return {
    read,
    cancel: () => {
      call.finish();
      body.cancel();
    },
    length: undefined,
  };
}

/** Undefined for no events: a chunk is never empty. */
function bytesOf(events: readonly SseEvent[]): Uint8Array | undefined {
  return events.length === 0 ? undefined : Buffer.concat(events.map(writeSse));
}
