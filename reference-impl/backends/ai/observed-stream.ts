import type { Body } from '../../base/body.ts';
import type { Cancellation } from '../../base/cancellation.ts';
import type { Format, UpstreamFormat } from './format.ts';
import { parseObject, type Json } from './json.ts';
import type { LlmCall } from './llm-call.ts';
import { serviceTierOf } from './service-tier.ts';
import { sseParser, writeSse, type SseEvent } from './sse.ts';

/**
 * A stream that passes byte for byte while its events are counted. When the provider breaks off, an error of the format
 * is the last event. A slow reader slows the provider down. docs/decisions/llm-streams.md
 */
export function observedStream(body: Body, format: Format, call: LlmCall, cancellation: Cancellation): Body {
  const parser = sseParser();
  let tail = '';
  let broken = false;

  const count = (events: readonly SseEvent[]): void => {
    for (const { data } of events) {
      countEvent(data, format, call);
      if (call.said !== undefined) heard(data, call.said);
    }
  };
  const finish = (): undefined => {
    count(parser.end());
    call.finish();
  };
  const brokeOff = (error: unknown): Uint8Array => {
    // The request itself was given up: nobody is there to be told.
    if (cancellation.reason !== undefined) throw error;
    broken = true;
    finish();
    return lastWord(format, tail);
  };
  return {
    read: async () => {
      if (broken) return undefined;
      try {
        const chunk = await body.read();
        if (chunk === undefined) return finish();
        count(parser.push(chunk));
        tail = lastCharacters(tail, chunk);
        return chunk;
      } catch (error) {
        return brokeOff(error);
      }
    },
    cancel: () => {
      finish();
      body.cancel();
    },
    length: undefined,
  };
}

/** What one event says about tokens and the model. Most say nothing, and those need not be parsed for it. */
export function countEvent(data: string, format: UpstreamFormat, call: LlmCall): void {
  call.streamBegan();
  if (!TELLS_TOKENS.test(data) && (call.namesModel || !data.includes('"model'))) return;
  const event = parseObject(data);
  if (event !== undefined) call.count(format.usageOfEvent(event), format.responseModel(event), serviceTierOf(event));
}

/** What every format says tokens in. Chunks that have none may say null. */
const TELLS_TOKENS = /"usage(?:Metadata)?"\s*:\s*\{/;

/** Tells whoever listens what an event of the client's format says. */
export function heard(data: string, said: (event: Json) => void): void {
  const event = parseObject(data);
  if (event !== undefined) said(event);
}

/** The error of the format; an event that was begun ends first. */
function lastWord(format: Format, tail: string): Uint8Array {
  const error = writeSse(format.errorEvent(502, 'the provider broke off'));
  if (tail === '' || tail.endsWith('\n\n') || tail.endsWith('\n\r\n')) return error;
  return new Uint8Array([...ENCODER.encode('\n\n'), ...error]);
}

const ENCODER = new TextEncoder();

function lastCharacters(tail: string, chunk: Uint8Array): string {
  const [first, second, third] = chunk.subarray(-3);
  // Nearly every chunk has three; it is asked of all of them.
  if (first !== undefined && second !== undefined && third !== undefined)
    return String.fromCharCode(first, second, third);
  return (tail + String.fromCharCode(...chunk.subarray(-3))).slice(-3);
}
