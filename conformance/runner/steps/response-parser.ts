import { headerObject } from './receiver.ts';

/** One HTTP/1.1 response found in bytes. */
export interface RawResponse {
  readonly status: number;
  readonly reason: string;
  readonly headers: Readonly<Record<string, string | readonly string[]>>;
  readonly body: string;
  readonly complete: boolean;
}

export interface ParsedResponses {
  readonly responses: readonly RawResponse[];
  /** Number of complete final responses (1xx do not count). */
  readonly complete: number;
  /** Why the rest is no HTTP/1.1 response. */
  readonly malformed?: string;
}

interface Cut {
  readonly body: Buffer;
  readonly next: number;
  readonly complete: boolean;
  readonly malformed?: string;
}

/** Reads responses one after another; what is left over and cannot be one is `malformed`. */
export function parseResponses(
  bytes: Buffer,
  options: { readonly method?: string | undefined; readonly ended: boolean },
): ParsedResponses {
  const responses: RawResponse[] = [];
  let at = 0;
  while (at < bytes.length) {
    const headEnd = bytes.indexOf('\r\n\r\n', at);
    const head = bytes.subarray(at, headEnd === -1 ? bytes.length : headEnd).toString('latin1');
    const start = /^HTTP\/1\.[01] (\d{3})(?: ([^\r\n]*))?/.exec(head);
    if (start === null)
      return answersIn(
        responses,
        couldBecomeResponse(head, headEnd) && !options.ended ? undefined : `not a response: ${head.slice(0, 40)}`,
      );
    if (headEnd === -1) return answersIn(responses, options.ended ? 'a head without end' : undefined);
    const status = Number(start[1]);
    const headers = headerObject(headerPairs(head));
    const cut = cutBody(bytes, headEnd + 4, headers, { status, ...options });
    responses.push({
      status,
      reason: start[2] ?? '',
      headers,
      body: cut.body.toString('utf8'),
      complete: cut.complete,
    });
    if (cut.malformed !== undefined || !cut.complete) return answersIn(responses, cut.malformed);
    at = cut.next;
  }
  return answersIn(responses, undefined);
}

function answersIn(responses: readonly RawResponse[], malformed: string | undefined): ParsedResponses {
  const complete = responses.filter((response) => response.complete && response.status >= 200).length;
  return { responses, complete, ...(malformed === undefined ? {} : { malformed }) };
}

function couldBecomeResponse(head: string, headEnd: number): boolean {
  return headEnd === -1 && 'HTTP/1.1 '.startsWith(head.slice(0, 9));
}

function headerPairs(head: string): readonly (readonly [string, string])[] {
  return head
    .split('\r\n')
    .slice(1)
    .map((line): readonly [string, string] => {
      const colon = line.indexOf(':');
      return colon === -1 ? [line, ''] : [line.slice(0, colon), line.slice(colon + 1).trim()];
    });
}

function cutBody(
  bytes: Buffer,
  from: number,
  headers: RawResponse['headers'],
  message: { readonly status: number; readonly method?: string | undefined; readonly ended: boolean },
): Cut {
  const { status, method, ended } = message;
  const none: Cut = { body: Buffer.alloc(0), next: from, complete: true };
  if (status < 200 || status === 204 || status === 304 || method === 'HEAD') return none;
  if (method === 'CONNECT' && status < 300) return { body: bytes.subarray(from), next: bytes.length, complete: true };
  const encoding = String(headers['transfer-encoding'] ?? '').toLowerCase();
  if (encoding.endsWith('chunked')) return cutChunks(bytes, from);
  const length = headers['content-length'];
  if (length === undefined) return { body: bytes.subarray(from), next: bytes.length, complete: ended };
  const end = from + Number(Array.isArray(length) ? length[0] : length);
  return { body: bytes.subarray(from, end), next: end, complete: bytes.length >= end };
}

function cutChunks(bytes: Buffer, from: number): Cut {
  const parts: Buffer[] = [];
  let at = from;
  for (;;) {
    const lineEnd = bytes.indexOf('\r\n', at);
    const open: Cut = { body: Buffer.concat(parts), next: bytes.length, complete: false };
    if (lineEnd === -1) return open;
    const size = /^([0-9a-fA-F]+)(?:;.*)?$/.exec(bytes.subarray(at, lineEnd).toString('latin1'))?.[1];
    if (size === undefined) return { ...open, malformed: 'a chunk without size' };
    const count = Number.parseInt(size, 16);
    if (count === 0) return cutTrailers(bytes, lineEnd + 2, parts);
    if (bytes.length < lineEnd + 2 + count + 2) return open;
    parts.push(bytes.subarray(lineEnd + 2, lineEnd + 2 + count));
    at = lineEnd + 2 + count + 2;
  }
}

function cutTrailers(bytes: Buffer, from: number, parts: readonly Buffer[]): Cut {
  const body = Buffer.concat([...parts]);
  if (bytes.subarray(from, from + 2).toString('latin1') === '\r\n') return { body, next: from + 2, complete: true };
  const end = bytes.indexOf('\r\n\r\n', from);
  return end === -1 ? { body, next: bytes.length, complete: false } : { body, next: end + 4, complete: true };
}
