import { ProxyError } from '../base/proxy-error.ts';

/** What a client library or the operating system reports, as a row of the proxy's own table. */
export function callFailure(error: unknown): ProxyError {
  if (error instanceof ProxyError) return error;
  if (!(error instanceof Error)) return new ProxyError('upstreamCallFailed', String(error));
  const code = 'code' in error && typeof error.code === 'string' ? error.code : '';
  const detail = error.message === '' ? code || error.name : error.message;
  return new ProxyError(UNSENDABLE.has(code) ? 'processingFailed' : 'upstreamCallFailed', detail, { cause: error });
}

/** The message itself is the problem: its version of HTTP cannot carry it. */
const UNSENDABLE: ReadonlySet<string> = new Set([
  'UND_ERR_INVALID_ARG',
  'UND_ERR_NOT_SUPPORTED',
  'ERR_HTTP2_HEADER_SINGLE_VALUE',
  'ERR_HTTP2_INVALID_CONNECTION_HEADERS',
  'ERR_HTTP2_INVALID_HEADER_VALUE',
  'ERR_HTTP2_INVALID_PSEUDOHEADER',
  'ERR_INVALID_CHAR',
  'ERR_INVALID_HTTP_TOKEN',
]);
