import type { Body } from '../base/body.ts';
import type { HeaderMap } from '../base/headers.ts';

/** Head and body of a request at one moment. Never changed in place. */
export interface Request {
  readonly method: string;
  readonly scheme: 'http' | 'https';
  /** Host with port when the client sent one, exactly as it came. */
  readonly authority: string;
  /** Path with query, exactly as it came until a policy rewrites it. */
  readonly target: string;
  readonly version: 'HTTP/1.0' | 'HTTP/1.1' | 'HTTP/2.0';
  /** Without `host` and without hop-by-hop fields. */
  readonly headers: HeaderMap;
  /** Of HTTP/1: how many fields there were when it came, those of its connection and Host included. */
  readonly fieldCount?: number;
  /** The names of the fields that the client says will follow behind the body (`Trailer`); absent when it says nothing of it. */
  readonly announced?: string | undefined;
  readonly body: Body | undefined;
  /** The protocol the client wants to go on with, where the server can, in lower case: `websocket`, or `tunnel` for a CONNECT. */
  readonly upgrade?: string;
}
