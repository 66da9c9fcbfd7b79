import { HeaderMap } from '../base/headers.ts';
import { PROXY_ERRORS, ProxyError, type ProxyErrorCode } from '../base/proxy-error.ts';
import { bytesBody } from '../base/read-body.ts';
import type { Answer } from './exchange.ts';
import type { Outcome } from './outcome.ts';

/** The answer for a failure of the table in `base/proxy-error.ts`: its status, and its text as `text/plain`. */
export function refusal(code: ProxyErrorCode, detail?: string): Answer {
  return refusalFor(new ProxyError(code, detail));
}

/** The same for a failure that was thrown. */
export function refusalFor(failure: ProxyError): Answer {
  return {
    status: PROXY_ERRORS[failure.code].status,
    headers: PLAIN_TEXT,
    body: bytesBody(encoder.encode(failure.message)),
    from: 'failure',
    failure,
  };
}

/** A policy refuses: the request ends here with the answer of the failure. */
export function refuse(failure: ProxyError): Outcome {
  return { kind: 'answer', answer: refusalFor(failure) };
}

const PLAIN_TEXT = HeaderMap.of([['content-type', 'text/plain']]);
const encoder = new TextEncoder();
