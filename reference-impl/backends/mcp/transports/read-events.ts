import { createParser } from 'eventsource-parser';
import type { Body } from '../../../base/body.ts';
import { ProxyError } from '../../../base/proxy-error.ts';

/** One event of a server-sent stream. */
export interface ServerEvent {
  readonly event: string | undefined;
  readonly id: string | undefined;
  readonly data: string;
  readonly retry?: number | undefined;
}

export interface EventSource {
  /** Undefined at the end. Rejects with a ProxyError when the stream breaks, or an event has more than the limit. */
  readonly next: () => Promise<ServerEvent | undefined>;
  readonly cancel: () => void;
}

/** The events of a body, each of at most `limit` characters. */
export function readEvents(body: Body | undefined, limit: number): EventSource {
  const decoder = new TextDecoder();
  const events: ServerEvent[] = [];
  let retry: number | undefined;
  let tooLarge = false;
  const parser = createParser({
    maxBufferSize: limit,
    onEvent: ({ event, id, data }) => {
      events.push({ event, id, data, retry });
      retry = undefined;
    },
    onRetry: (milliseconds) => {
      retry = milliseconds;
    },
    onError: ({ type }) => {
      tooLarge ||= type === 'max-buffer-size-exceeded';
    },
  });
  const next = async (): Promise<ServerEvent | undefined> => {
    for (;;) {
      const event = events.shift();
      if (event !== undefined) return event;
      if (tooLarge) throw new ProxyError('upstreamCallFailed', 'an event of the MCP server is too large');
      const chunk = await body?.read();
      if (chunk === undefined) return undefined;
      parser.feed(decoder.decode(chunk, { stream: true }));
    }
  };
  return { next, cancel: () => body?.cancel() };
}
