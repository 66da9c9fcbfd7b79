/** Why there was no complete answer, in words a case can expect. */
export type Failure = 'refused' | 'reset' | 'closed' | 'timeout' | 'malformed' | 'alert';

/** The word for an error of a socket or of the HTTP parser. */
export function failureOf(error: Error): Failure {
  const code = 'code' in error ? String(error.code) : '';
  if (code === 'ECONNREFUSED' || code === 'ENOENT') return 'refused';
  if (code === 'ECONNRESET' || code === 'EPIPE' || code === 'ECONNABORTED')
    return error.message === 'socket hang up' ? 'closed' : 'reset';
  if (code === 'ABORT_ERR' || code === 'ETIMEDOUT') return 'timeout';
  // The other side refused the handshake, and said so.
  if (code.includes('_ALERT_') || (code === 'EPROTO' && error.message.includes(' alert '))) return 'alert';
  return code.startsWith('HPE_') || code.startsWith('ERR_SSL_') ? 'malformed' : 'closed';
}
