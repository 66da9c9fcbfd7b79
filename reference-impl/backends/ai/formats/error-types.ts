import { entryOf } from '../../json.ts';
import type { FormatName } from './format.ts';

/** What kind of error a status means, in the words both chat formats share. */
export function errorType(status: number): string {
  return TYPES[status] ?? (status >= 400 && status < 500 ? 'invalid_request_error' : 'api_error');
}

const TYPES: Readonly<Record<number, string>> = {
  400: 'invalid_request_error',
  401: 'authentication_error',
  403: 'authentication_error',
  404: 'not_found_error',
  // The model took too long, or failed.
  408: 'api_error',
  424: 'api_error',
  429: 'rate_limit_error',
};

/** The kind of a provider's error in the words of the client's format; by its status when the format has none for it. */
export function errorTypeIn(format: FormatName, status: number, type: string | undefined): string {
  const ofMessages = format === 'messages' || format === 'token-count';
  const own = ofMessages ? MESSAGES_TYPES : COMPLETIONS_TYPES;
  const told = [type, entryOf(ALIKE, type)].find((word) => word !== undefined && own.has(word));
  return told ?? (ofMessages ? MESSAGES_STATUSES[status] : undefined) ?? errorType(status);
}

const SHARED = [
  'invalid_request_error',
  'authentication_error',
  'permission_error',
  'not_found_error',
  'rate_limit_error',
  'api_error',
];
const MESSAGES_TYPES: ReadonlySet<string> = new Set([
  ...SHARED,
  'billing_error',
  'request_too_large',
  'timeout_error',
  'overloaded_error',
]);
const COMPLETIONS_TYPES: ReadonlySet<string> = new Set([...SHARED, 'insufficient_quota', 'server_error']);

/** Words of one format, and the nearest that another may have. */
const ALIKE: Readonly<Record<string, string>> = {
  insufficient_quota: 'billing_error',
  billing_error: 'insufficient_quota',
  requests: 'rate_limit_error',
  tokens: 'rate_limit_error',
  request_too_large: 'invalid_request_error',
  server_error: 'api_error',
  overloaded_error: 'server_error',
  timeout_error: 'server_error',
};

const MESSAGES_STATUSES: Readonly<Record<number, string>> = {
  402: 'billing_error',
  403: 'permission_error',
  408: 'timeout_error',
  413: 'request_too_large',
  504: 'timeout_error',
  529: 'overloaded_error',
};
