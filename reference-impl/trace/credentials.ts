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
