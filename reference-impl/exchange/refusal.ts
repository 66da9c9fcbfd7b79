import { HeaderMap } from '../base/headers.ts';
import { PROXY_ERRORS, ProxyError, type ProxyErrorCode, type ProxyErrorEntry } from '../base/proxy-error.ts';
import { bytesBody } from '../base/read-body.ts';
import type { Answer } from './exchange.ts';
import type { Outcome } from './outcome.ts';

/** The answer for a failure of the table in `base/proxy-error.ts`: its status, and its text as `text/plain` or in JSON. */
export function refusal(code: ProxyErrorCode, detail?: string): Answer {
  return refusalFor(new ProxyError(code, detail));
}

/**
 * The same for a failure that was thrown. A client is told what is wrong with its request, but of what is wrong behind the
 * proxy only that: a detail may hold internal addresses and texts of libraries (docs/decisions/error-bodies.md).
 */
export function refusalFor(failure: ProxyError): Answer {
  const { status, apiCode, isToldInDetail, text: summary }: ProxyErrorEntry = PROXY_ERRORS[failure.code];
  const told = status < 500 || isToldInDetail ? failure.message : summary;
  const [headers, text] = apiCode === undefined ? [PLAIN_TEXT, told] : [JSON_TEXT, apiError(told, apiCode)];
  return { status, headers, body: bytesBody(encoder.encode(text)), from: 'failure', failure };
}

function apiError(message: string, code: string): string {
  return JSON.stringify({ error: { message, type: 'invalid_request_error', code } });
}

/** A policy refuses: the request ends here with the answer of the failure. */
export function refuse(failure: ProxyError): Outcome {
  return { kind: 'answer', answer: refusalFor(failure) };
}

const PLAIN_TEXT = HeaderMap.of([['content-type', 'text/plain']]);
const JSON_TEXT = HeaderMap.of([['content-type', 'application/json']]);
const encoder = new TextEncoder();
