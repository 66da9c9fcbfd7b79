import { z } from 'zod';
import type { Mock, MockOptions } from './mock.ts';
import type { Bytes } from './script.ts';
import type { TlsScript } from './tls/script.ts';
import type { Pair } from './values-by-name.ts';

// Some peers are HTTP servers with something to say of their own. They speak through the HTTP mock in these words; the
// registry hands it to them, so that the folders of the mocks do not know each other.

/** A request as the HTTP mock recorded it. */
export interface HttpRequest {
  readonly method: string;
  readonly target: string;
  readonly headers: readonly Pair[];
  readonly body: Buffer;
}

/** What the HTTP mock is told to answer. */
export interface HttpReply {
  status?: number;
  headers?: Record<string, string | number>;
  body?: Bytes;
  chunks?: HttpPiece[];
  fault?: HttpFault;
  fail?: string;
}

export type HttpPiece =
  | string
  | { text: string }
  | { base64: string }
  | { gate: string; giveUp?: string | undefined }
  | { reset: true }
  | LivePiece;

/** Texts that are written as they come, for peers that push; no script can say it. */
export interface LivePiece {
  readonly live: AsyncIterable<string>;
}

/** The HTTP mock: it listens, keeps the ledger and sends replies, faults included. */
export type ServeHttp = (
  script: {
    kind: 'http';
    fault?: 'refuse' | HttpFault | undefined;
    tls?: TlsScript | undefined;
    http2?: true | undefined;
  },
  options: MockOptions,
  choose: (request: HttpRequest, arrived: Promise<boolean>) => Promise<HttpReply>,
) => Promise<Mock>;

/** Bytes of the whole answer, its head included, after which the connection breaks, or ends in good order. */
export const resetAfter = z.strictObject({
  'reset-after': z.int().min(0).describe('so many bytes of the whole answer, head included, then a reset'),
});
export const endAfter = z.strictObject({
  'end-after': z.int().min(0).describe('so many bytes of the whole answer, head included, then an orderly end'),
});

/** How an answer over HTTP can break, for scripts of such peers. */
export const httpFaultSchema = z.union(
  [z.enum(['reset', 'hang', 'half-close', 'bad-chunk', 'garbage']), resetAfter, endAfter],
  { error: 'reset, hang, half-close, bad-chunk, garbage, {reset-after: n} or {end-after: n}' },
);
export type HttpFault = z.infer<typeof httpFaultSchema>;

/** A document as JSON; one with a gate follows its head when that gate opens. */
export function jsonReply(text: string, { status = 200, headers = {}, gate, giveUp }: Waiting = {}): HttpReply {
  const rest = { status, headers: { 'content-type': 'application/json', ...headers } };
  return gate === undefined ? { ...rest, body: text } : { ...rest, chunks: [{ gate, giveUp }, { text }] };
}

/** What scripts can say about a document besides what stands in it. */
interface Waiting {
  readonly status?: number | undefined;
  readonly headers?: Readonly<Record<string, string | number>> | undefined;
  readonly gate?: string | undefined;
  readonly giveUp?: string | undefined;
}
