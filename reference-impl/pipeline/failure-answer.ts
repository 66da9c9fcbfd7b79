import { errorFields, type Log } from '../base/log.ts';
import { ProxyError } from '../base/proxy-error.ts';
import type { Answer } from '../exchange/exchange.ts';
import { refusalFor } from '../exchange/refusal.ts';

/** What the client is told of a failure. One that is not of the proxy's own table is logged and told as an internal one. */
export function failureAnswer(error: unknown, log: Log): Answer {
  if (error instanceof ProxyError) {
    const answer = refusalFor(error);
    // The client is not told the detail.
    if (answer.status >= 500 && error.detail !== undefined)
      log.warn('request failed', { code: error.code, error: error.message });
    return answer;
  }
  log.error('request failed', errorFields(error));
  return refusalFor(new ProxyError('internal'));
}
