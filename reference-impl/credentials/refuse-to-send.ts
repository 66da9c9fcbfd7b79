import { ProxyError } from '../base/proxy-error.ts';

/**
 * Ends a request whose credential cannot be had: it is not sent, rather than sent without. Always throws
 * backendAuthenticationFailed. Logs and traces show the detail, so nothing secret may stand in it.
 */
export function refuseToSend(detail: string): never {
  throw new ProxyError('backendAuthenticationFailed', detail);
}
