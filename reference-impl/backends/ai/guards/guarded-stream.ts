import { Buffer } from 'node:buffer';
import type { Body } from '../../../base/body.ts';
import type { Format } from '../format.ts';
import { asObject, parseObject } from '../json.ts';
import { sseParser, writeSse, type SseEvent } from '../sse.ts';
import type { Context, Guard } from './guard.ts';
import { guardStages, StreamBlocked } from './guard-stage.ts';

/** GUARD-002: a stream of events in the format of the client, as its guards let it pass, one guard after the other. */
export function guardedStream(body: Body, guards: readonly Guard[], client: Format, context: Context): Body {
  const parser = sseParser();
  const through = guardStages(guards, client, context);
  let over = false;

  const next = async (): Promise<Uint8Array | undefined> => {
    const chunk = await body.read();
    const last = chunk === undefined;
    const events = await through(last ? parser.end() : parser.push(chunk), last);
    over = last;
    if (!parser.overflowed()) return bytesOf(events);
    over = true;
    body.cancel();
    return bytesOf([...events, client.errorEvent(502, 'an event of the provider is too large')]);
  };

  const read = async (): Promise<Uint8Array | undefined> => {
    while (!over) {
      try {
        const bytes = await next();
        if (bytes !== undefined) return bytes;
      } catch (error) {
        if (!(error instanceof StreamBlocked)) throw error;
        over = true;
        body.cancel();
        return writeSse(blockedEvent(client, error.message));
      }
    }
    return undefined;
  };
  return { read, cancel: body.cancel, length: undefined };
}

/** The error of docs/decisions/prompt-guard.md, with what makes it an error of the client's own format. */
function blockedEvent(client: Format, message: string): SseEvent {
  const type = 'guardrail_blocked';
  const own = client.errorEvent(403, message, type);
  const error = { ...asObject(parseObject(own.data)?.['error']), type, code: 'guardrail_intervention', message };
  return { ...own, data: JSON.stringify({ ...parseObject(own.data), error }) };
}

/** Undefined for no events: a chunk is never empty. */
function bytesOf(events: readonly SseEvent[]): Uint8Array | undefined {
  return events.length === 0 ? undefined : Buffer.concat(events.map(writeSse));
}
