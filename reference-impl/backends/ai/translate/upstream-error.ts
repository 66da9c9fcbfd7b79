import { asObject, asString } from '../json.ts';
import type { Json } from '../json.ts';

export interface UpstreamError {
  readonly message: string;
  /** The provider's word for the kind of error, when it has one. */
  readonly type?: string;
}

/** What a provider's error says, in whichever of the usual shapes it comes. */
export function upstreamError(error: Json): UpstreamError {
  const inner = asObject(error['error']) ?? error;
  const type = asString(inner['type']) ?? asString(inner['code']);
  const message = asString(inner['message']) ?? asString(error['error']) ?? asString(inner['detail']);
  const named = type === undefined || type === 'error' ? {} : { type };
  return { message: message ?? 'the provider reported an error', ...named };
}
