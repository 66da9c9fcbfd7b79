import { compile, errorText } from '../cel/compile.ts';
import { encodeEvent } from '../trace/encode.ts';
import { parseGatewaySelection } from '../trace/gateway-selection.ts';
import type { WatchOptions } from '../trace/watchers.ts';
import { answerText, type AdminRequest, type AdminServices } from './endpoint.ts';
import { openStream } from './event-stream.ts';

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
