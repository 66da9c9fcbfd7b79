import type { ServerResponse } from 'node:http';

/** What a handler answers: one JSON document, or a stream it writes itself. */
export type ApiAnswer = JsonAnswer | StreamAnswer;

export interface JsonAnswer {
  readonly code: number;
  readonly body: object;
  /** Each becomes a Warning header, which clients print. */
  readonly warnings?: readonly string[];
  /** The methods of the path, with a 405. */
  readonly allow?: readonly string[];
}

export interface StreamAnswer {
  readonly stream: (response: ServerResponse) => void;
}

export function ok(body: object, warnings: readonly string[] = []): JsonAnswer {
  return { code: 200, body, warnings };
}

/** Ends the exchange, or hands the response to the stream. */
export function sendAnswer(response: ServerResponse, answer: ApiAnswer): void {
  if ('stream' in answer) {
    answer.stream(response);
    return;
  }
  const { code, body, warnings = [], allow } = answer;
  const text = `${JSON.stringify(body)}\n`;
  if (warnings.length > 0) response.setHeader('warning', warnings.slice(0, MAX_WARNINGS).map(warningHeader));
  response.writeHead(code, {
    'content-type': 'application/json',
    'content-length': Buffer.byteLength(text),
    'cache-control': 'no-store',
    'x-content-type-options': 'nosniff',
    ...(allow === undefined ? {} : { allow: allow.join(', ') }),
  });
  response.end(text);
}

const MAX_WARNINGS = 50;

/** RFC 9110 knows no other code for a warning that concerns the whole answer: 299, without a named agent. */
function warningHeader(text: string): string {
  const plain = text.replaceAll(/[^\x20-\x7e]/g, '?').slice(0, 1000);
  return `299 - "${plain.replaceAll(/["\\]/g, String.raw`\$&`)}"`;
}
