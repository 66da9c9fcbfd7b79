import { errorTypeIn } from '../formats/error-types.ts';
import type { Format } from '../formats/format.ts';
import { asNumber, asObject, asString, entryOf } from '../../json.ts';
import type { Json } from '../../json.ts';

export interface UpstreamError {
  readonly message: string;
  /** The provider's word for the kind of error, when it has one. */
  readonly type?: string;
}

/** The provider's error as one of the client's format, in its words. docs/decisions/ai-formats.md */
export function translatedError(client: Format, status: number, error: Json): Json {
  const { message, type } = upstreamError(error);
  return client.error(status, message, errorTypeIn(client.name, status, type));
}

/**
 * Whether an error of a provider that speaks the client's format is told in another shape: by the platform in front of its models,
 * or by what stands before it. One without words says nothing that could be told otherwise.
 */
export function isForeignError({ name }: Format, error: Json): boolean {
  const inner = asObject(error['error']);
  if (isOfCloudC(inner)) return true;
  if (!CHATS.has(name) || upstreamError(error).message === NO_WORDS) return false;
  return asString(inner?.['message']) === undefined || (name === 'messages' && error['type'] !== 'error');
}

const CHATS: ReadonlySet<string> = new Set(['completions', 'messages', 'responses']);

function isOfCloudC(inner: Json | undefined): boolean {
  return asString(inner?.['status']) !== undefined && asNumber(inner?.['code']) !== undefined;
}

/** What a provider's error says, in whichever of the usual shapes it comes. */
export function upstreamError(error: Json): UpstreamError {
  const inner = asObject(error['error']) ?? error;
  const type = asString(inner['type']) ?? entryOf(CLOUD_C_TYPES, inner['status']) ?? asString(inner['code']);
  const message =
    asString(inner['message']) ?? asString(inner['Message']) ?? asString(error['error']) ?? asString(inner['detail']);
  const named = type === undefined || type === 'error' ? {} : { type };
  return { message: message ?? NO_WORDS, ...named };
}

const NO_WORDS = 'the provider reported an error';

/** The words of cloud C and provider 5 in those of the others. */
const CLOUD_C_TYPES: Readonly<Record<string, string>> = {
  INVALID_ARGUMENT: 'invalid_request_error',
  FAILED_PRECONDITION: 'invalid_request_error',
  NOT_FOUND: 'not_found_error',
  PERMISSION_DENIED: 'permission_error',
  UNAUTHENTICATED: 'authentication_error',
  RESOURCE_EXHAUSTED: 'rate_limit_error',
};
