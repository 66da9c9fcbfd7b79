import type { ServerResponse } from 'node:http';
import { compile, errorText } from '../cel/compile.ts';
import { encodeEvent } from '../trace/encode.ts';
import { parseGatewaySelection } from '../trace/gateway-selection.ts';
import type { WatchOptions } from '../trace/watchers.ts';
import { answerText, type AdminRequest, type AdminServices } from './endpoint.ts';

/**
 * TRACE-001 and TRACE-002: streams what happens to the next request as server-sent events, then ends (TRACE-058).
 *
 * Query, all optional, unknown members ignored: `expression` (on `request`), `gateway` (`[namespace/]name`) and
 * `source-port` (the downstream port of the one connection that is meant). A bad value is answered 400.
 * docs/decisions/trace-endpoint.md
 */
export function debugTrace({ response, query }: AdminRequest, context: AdminServices): void {
  const options = watchOptions(query);
  if ('refused' in options) {
    answerText(response, 400, options.refused);
    return;
  }

  const stream = openStream(response, context);
  const stopWatching = context.watchers.watch(options, {
    event: (event) => {
      stream.send(`data: ${encodeEvent(event)}\n\n`);
    },
    finished: stream.end,
  });
  response.once('close', stopWatching);
  // Only now, so that a client that saw it can be sure to be waiting.
  stream.send(': ready\n\n');
}

function watchOptions(query: URLSearchParams): WatchOptions | { readonly refused: string } {
  let options: WatchOptions = {};
  for (const [member, read] of OPTIONS) {
    const text = query.get(member);
    const option = text === null ? {} : read(text);
    if ('refused' in option) return option;
    options = { ...options, ...option };
  }
  return options;
}

/** One member of the query each. */
const OPTIONS: readonly (readonly [
  member: string,
  read: (text: string) => WatchOptions | { readonly refused: string },
])[] = [
  ['expression', expressionOption],
  ['gateway', gatewayOption],
  ['source-port', sourcePortOption],
];

function expressionOption(text: string): WatchOptions | { readonly refused: string } {
  if (text.trim() === '') return { refused: 'invalid expression: it is empty' };
  const compiled = compile(text);
  return compiled.ok
    ? { expression: compiled.program }
    : { refused: `invalid expression: ${errorText(compiled.error)}` };
}

function gatewayOption(text: string): WatchOptions | { readonly refused: string } {
  const gateway = parseGatewaySelection(text);
  return gateway === undefined ? { refused: 'invalid gateway: expected [namespace/]name' } : { gateway };
}

function sourcePortOption(text: string): WatchOptions | { readonly refused: string } {
  const sourcePort = Number(text);
  return isPort(sourcePort) ? { sourcePort } : { refused: 'invalid source-port: expected 1 to 65535' };
}

function isPort(value: number): boolean {
  return Number.isInteger(value) && value >= 1 && value <= 65_535;
}

/**
 * The traced request never waits for the reader: what the reader leaves lying beyond the budget is dropped, and of many such
 * readers those who leave most are cut off.
 */
function openStream(response: ServerResponse, { clock, log, unread }: AdminServices) {
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
