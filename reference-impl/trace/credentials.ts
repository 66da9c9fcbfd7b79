import type { RequestState } from './events.ts';

/** The same plain data with every inline credential replaced by `<redacted>`. */
export function withoutCredentials(value: unknown, member = ''): unknown {
  if (Array.isArray(value)) return value.map((item) => withoutCredentials(item, member));
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).map(([key, inner]) => [
      key,
      isCredential(member, key, inner) ? '<redacted>' : withoutCredentials(inner, key),
    ]),
  );
}

/**
 * Every `auth` of a policy holds its inline credential in `key`, and `basicAuthentication` hashes of passwords in
 * `users`; the annotation is a copy of the whole resource.
 */
function isCredential(member: string, key: string, value: unknown): boolean {
  if (key === 'kubectl.kubernetes.io/last-applied-configuration') return true;
  if (member === 'basicAuthentication' && key === 'users') return true;
  return member === 'auth' && key === 'key' && typeof value === 'string';
}

/** Fields whose value is a credential; their presence is shown, their value is not. */
const SECRET_HEADERS: ReadonlySet<string> = new Set([
  'authorization',
  'proxy-authorization',
  'x-api-key',
  'x-goog-api-key',
  'x-amz-security-token',
  'cookie',
  'set-cookie',
]);

/**
 * Whether a header field or query parameter of that name carries a credential by convention: its last words say so, as in
 * `api-key`, `x-auth-token`, `x-csrf-token`, `access_token` or `X-Amz-Signature`.
 */
function isCredentialName(name: string): boolean {
  return CREDENTIAL_NAME.test(name);
}

const CREDENTIAL_NAME =
  /(?:^|[-_.])(?:(?:api|access|private|secret|session)[-_]?key|auth|authorization|token|secret|password|passwd|pwd|credentials?|signature|assertion|jwt)$/i;

/** Parameters that carry one under a name that would say nothing in a header. */
const SECRET_PARAMETERS: ReadonlySet<string> = new Set(['key', 'apikey', 'sig', 'pass', 'x-amz-credential']);

/** Whether the value of that field, named in lower case, is a credential. */
export function isSecretHeader(name: string): boolean {
  return SECRET_HEADERS.has(name) || isCredentialName(name);
}

function isSecretParameter(name: string): boolean {
  return SECRET_PARAMETERS.has(name.toLowerCase()) || isCredentialName(name);
}

/**
 * The same plain data with the literal values of credential fields replaced by `<redacted>`: as header edits, matches and environment variables
 * hold them, by name and value, and as maps of fields to expressions do.
 */
export function withoutLiteralCredentials(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withoutLiteralCredentials);
  if (typeof value !== 'object' || value === null) return value;
  const isSecret = 'name' in value && typeof value.name === 'string' && isSecretHeader(value.name.toLowerCase());
  return Object.fromEntries(
    Object.entries(value).map(([key, inner]: [string, unknown]) => [
      key,
      typeof inner === 'string' && ((isSecret && key === 'value') || isSecretHeader(key.toLowerCase()))
        ? '<redacted>'
        : withoutLiteralCredentials(inner),
    ]),
  );
}

/** The same state with the values of credential fields of request and response replaced by `<redacted>`. */
export function withoutSecretHeaders(state: RequestState): RequestState {
  const roots: [string, unknown][] = Object.entries(state);
  return Object.fromEntries(
    roots.map(([root, value]) => [root, isMessage(value) ? withoutValuesOf(value, isSecretHeader) : value]),
  );
}

interface Message {
  readonly headers: object;
}

function isMessage(value: unknown): value is Message {
  return typeof value === 'object' && value !== null && 'headers' in value && typeof value.headers === 'object';
}

function withoutValuesOf(message: Message, isSecret: (name: string) => boolean): Message {
  const fields: [string, unknown][] = Object.entries(message.headers);
  const shown = fields.map(([name, value]): [string, unknown] => [
    name,
    isSecret(name.toLowerCase()) ? '<redacted>' : value,
  ]);
  return { ...message, headers: Object.fromEntries(shown) };
}

/** Where requests carry credentials, besides the places that do by convention: lower-case header names, query parameters. */
export interface CredentialPlaces {
  readonly headers: ReadonlySet<string>;
  readonly queryParameters: ReadonlySet<string>;
}

/** The same state with what the request carries at these places replaced by `<redacted>`. */
export function withoutShownCredentials(state: RequestState, places: CredentialPlaces): RequestState {
  const { request } = state;
  if (!isMessage(request)) return state;
  const members: [string, unknown][] = Object.entries(withoutValuesOf(request, (name) => places.headers.has(name)));
  const shown = members.map(([name, value]): [string, unknown] => [
    name,
    typeof value === 'string' && WITH_QUERY.has(name) ? withoutShownParameters(value, places) : value,
  ]);
  return { ...state, request: Object.fromEntries(shown) };
}

/** Members of `request` that hold the query. */
const WITH_QUERY: ReadonlySet<string> = new Set(['uri', 'pathAndQuery']);

/** The same request target with the values of query parameters that carry credentials replaced by `<redacted>`. */
export function withoutShownParameters(target: string, places: CredentialPlaces): string {
  const mark = target.indexOf('?');
  if (mark === -1) return target;
  const [path, query] = [target.slice(0, mark), target.slice(mark + 1)];
  const isSecret = (name: string): boolean => places.queryParameters.has(name) || isSecretParameter(name);
  const pieces = query.split('&').map((piece) => {
    // The `&` keeps a leading `?` from being dropped.
    const [parameter] = new URLSearchParams(`&${piece}`).keys();
    return parameter !== undefined && isSecret(parameter) ? `${piece.split('=', 1).join('')}=<redacted>` : piece;
  });
  return `${path}?${pieces.join('&')}`;
}
