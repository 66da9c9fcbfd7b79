import { errorFields, type Log } from '../base/log.ts';
import { ProxyError } from '../base/proxy-error.ts';
import type { Answer } from '../exchange/exchange.ts';
import { refusalFor } from '../exchange/refusal.ts';

/** What the client is told of a failure. One that is not of the proxy's own table is logged and told as an internal one. */
export function failureAnswer(error: unknown, log: Log): Answer {
  if (error instanceof ProxyError) return refusalFor(error);
  log.error('request failed', errorFields(error));
  return refusalFor(new ProxyError('internal'));
}
