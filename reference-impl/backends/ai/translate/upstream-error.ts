import { asObject, asString, entryOf } from '../json.ts';
import type { Json } from '../json.ts';

export interface UpstreamError {
  readonly message: string;
  /** The provider's word for the kind of error, when it has one. */
  readonly type?: string;
}

/** What a provider's error says, in whichever of the usual shapes it comes. */
export function upstreamError(error: Json): UpstreamError {
  const inner = asObject(error['error']) ?? error;
  const type = asString(inner['type']) ?? entryOf(CLOUD_C_TYPES, inner['status']) ?? asString(inner['code']);
  const message =
    asString(inner['message']) ?? asString(inner['Message']) ?? asString(error['error']) ?? asString(inner['detail']);
  const named = type === undefined || type === 'error' ? {} : { type };
  return { message: message ?? 'the provider reported an error', ...named };
}

/** The words of cloud C and provider 5 in those of the others. */
const CLOUD_C_TYPES: Readonly<Record<string, string>> = {
  INVALID_ARGUMENT: 'invalid_request_error',
  FAILED_PRECONDITION: 'invalid_request_error',
  NOT_FOUND: 'not_found_error',
  PERMISSION_DENIED: 'authentication_error',
  UNAUTHENTICATED: 'authentication_error',
  RESOURCE_EXHAUSTED: 'rate_limit_error',
};
