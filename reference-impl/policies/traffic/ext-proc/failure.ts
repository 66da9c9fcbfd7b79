import { ProxyError } from '../../../base/proxy-error.ts';
import type { Received } from '../../../exchange/exchange.ts';

/** What the request fails with. A sender that broke off, or a client that left, is not the processor's fault. */
export function processorFailure(error: unknown, { cancellation }: Received): ProxyError {
  const { reason } = cancellation;
  if (reason instanceof ProxyError) return reason;
  if (!(error instanceof ProxyError)) throw error;
  return error.code === 'noHealthyBackends' ? new ProxyError('extProcFailed', error.message, { cause: error }) : error;
}
