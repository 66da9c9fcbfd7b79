/** What kind of error a status means, in the words both chat formats share. */
export function errorType(status: number): string {
  return TYPES[status] ?? (status >= 400 && status < 500 ? 'invalid_request_error' : 'api_error');
}

const TYPES: Readonly<Record<number, string>> = {
  400: 'invalid_request_error',
  401: 'authentication_error',
  403: 'authentication_error',
  404: 'not_found_error',
  429: 'rate_limit_error',
};
