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

/** The same state with the values of credential fields of request and response replaced by `<redacted>`. */
export function withoutSecretHeaders(state: RequestState): RequestState {
  const roots: [string, unknown][] = Object.entries(state);
  return Object.fromEntries(
    roots.map(([root, value]) => [root, isMessage(value) ? withoutValuesOf(value, SECRET_HEADERS) : value]),
  );
}

interface Message {
  readonly headers: object;
}

function isMessage(value: unknown): value is Message {
  return typeof value === 'object' && value !== null && 'headers' in value && typeof value.headers === 'object';
}

function withoutValuesOf(message: Message, names: ReadonlySet<string>): Message {
  const fields: [string, unknown][] = Object.entries(message.headers);
  const shown = fields.map(([name, value]): [string, unknown] => [name, names.has(name) ? '<redacted>' : value]);
  return { ...message, headers: Object.fromEntries(shown) };
}

/** Where requests carry credentials, besides the fields that always do: lower-case header names, query parameters. */
export interface CredentialPlaces {
  readonly headers: ReadonlySet<string>;
  readonly queryParameters: ReadonlySet<string>;
}

/** The same state with what the request carries at these places replaced by `<redacted>`. */
export function withoutShownCredentials(state: RequestState, places: CredentialPlaces): RequestState {
  const { request } = state;
  if (!isMessage(request) || places.headers.size + places.queryParameters.size === 0) return state;
  const members: [string, unknown][] = Object.entries(withoutValuesOf(request, places.headers));
  const shown = members.map(([name, value]): [string, unknown] => [
    name,
    typeof value === 'string' && WITH_QUERY.has(name) ? withoutParameters(value, places.queryParameters) : value,
  ]);
  return { ...state, request: Object.fromEntries(shown) };
}

/** Members of `request` that hold the query. */
const WITH_QUERY: ReadonlySet<string> = new Set(['uri', 'pathAndQuery']);

function withoutParameters(target: string, names: ReadonlySet<string>): string {
  const [path, query] = [target.split('?', 1).join(''), target.split('?').slice(1).join('?')];
  if (query === '') return target;
  const pieces = query.split('&').map((piece) => {
    // The `&` keeps a leading `?` from being dropped.
    const [parameter] = new URLSearchParams(`&${piece}`).keys();
    return parameter !== undefined && names.has(parameter) ? `${piece.split('=', 1).join('')}=<redacted>` : piece;
  });
  return `${path}?${pieces.join('&')}`;
}
