import type { ServerResponse } from 'node:http';
import type { AdminServices } from './endpoint.ts';

/** A stream of server-sent events to one reader. */
export interface EventStream {
  /** Text in the form of the format, with the empty line at its end. Returns at once. */
  readonly send: (text: string) => void;
  readonly end: () => void;
}

/**
 * Whoever writes never waits for the reader: what the reader leaves lying beyond the budget is dropped, and of many such
 * readers those who leave most are cut off. A sign of life comes every second.
 */
export function openStream(response: ServerResponse, { clock, log, unread }: AdminServices): EventStream {
  let dropped = 0;
  response.writeHead(200, { 'content-type': 'text/event-stream', 'cache-control': 'no-cache' });

  const send = (text: string): void => {
    if (response.destroyed) return;
    if (response.writableLength + text.length > BUDGET_BYTES) dropped += 1;
    else unread.write(response, text);
  };
  const keepAlive = (): void => {
    // A reader that has not caught up yet needs no sign of life.
    if (response.writableLength === 0) response.write(': keepalive\n\n');
    cancel = clock.after(KEEPALIVE_MS, keepAlive);
  };
  let cancel = clock.after(KEEPALIVE_MS, keepAlive);
  response.once('close', () => {
    cancel();
    if (dropped > 0) log('trace events dropped: the reader was too slow', { dropped });
  });
  return { send, end: () => response.end() };
}

const KEEPALIVE_MS = 1000;
const BUDGET_BYTES = 16 * 1024 * 1024;
