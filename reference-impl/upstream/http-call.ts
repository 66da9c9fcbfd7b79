import type { Duplex } from 'node:stream';
import type { Endpoint } from '../attachment/view.ts';
import type { Body } from '../base/body.ts';
import type { Cancellation } from '../base/cancellation.ts';
import type { HeaderMap } from '../base/headers.ts';
import type { Request } from '../exchange/exchange.ts';
import type { DialOptions } from './dial.ts';

/** One request to one endpoint. */
export interface Call {
  readonly endpoint: Endpoint;
  readonly dial: DialOptions;
  /** HTTP/1.1 when absent. */
  readonly version?: HttpVersion | undefined;
  /** Sent as it stands: method, target byte for byte, header fields in their order and case. */
  readonly request: Request;
  /** BHTTP-007: milliseconds until the head of the response must be there; undefined waits. */
  readonly requestTimeout: number | undefined;
  /** Asks to go on with this protocol on the same connection. */
  readonly upgrade?: string | undefined;
  readonly cancellation: Cancellation;
  /** Gets the values of `Link` of each early answer (103). */
  readonly hint?: ((links: readonly string[]) => void) | undefined;
}

export interface Response {
  readonly status: number;
  /** Every field exactly as it came, hop-by-hop ones included. */
  readonly headers: HeaderMap;
  readonly body: Body | undefined;
  /** The connection, when the endpoint agreed to go on with another protocol; whoever has it closes it. */
  readonly connection?: Duplex;
}

/** In the words of `http.version`. */
export type HttpVersion = 'HTTP1' | 'HTTP2';

/** Passes on what an interim answer says ahead of the final one: of 103 the links, of any other nothing. docs/decisions/trailers-and-interim-answers.md */
export function passHint({ hint }: Call, status: number, headers: HeaderMap): void {
  const links = status === 103 ? headers.getAll('link') : [];
  if (links.length > 0) hint?.(links);
}

/** Whether bytes follow the head of an answer. */
export function hasBody(method: string, status: number, headers: HeaderMap): boolean {
  return method !== 'HEAD' && status !== 204 && status !== 304 && headers.get('content-length') !== '0';
}
