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

/** Every `auth` of a policy holds its inline credential in `key`; the annotation is a copy of the whole resource. */
function isCredential(member: string, key: string, value: unknown): boolean {
  if (key === 'kubectl.kubernetes.io/last-applied-configuration') return true;
  return member === 'auth' && key === 'key' && typeof value === 'string';
}

/** Fields whose value is a credential; their presence is shown, their value is not. */
const SECRET_HEADERS: ReadonlySet<string> = new Set(['authorization', 'proxy-authorization', 'cookie', 'set-cookie']);

/** The same state with the values of credential fields of request and response replaced by `<redacted>`. */
export function withoutSecretHeaders(state: RequestState): RequestState {
  const roots: [string, unknown][] = Object.entries(state);
  return Object.fromEntries(roots.map(([root, value]) => [root, isMessage(value) ? concealed(value) : value]));
}

interface Message {
  readonly headers: object;
}

function isMessage(value: unknown): value is Message {
  return typeof value === 'object' && value !== null && 'headers' in value && typeof value.headers === 'object';
}

function concealed(message: Message): Message {
  const fields: [string, unknown][] = Object.entries(message.headers);
  const shown = fields.map(([name, value]): [string, unknown] => [
    name,
    SECRET_HEADERS.has(name) ? '<redacted>' : value,
  ]);
  return { ...message, headers: Object.fromEntries(shown) };
}
