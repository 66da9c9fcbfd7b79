/** `maxBytes` as `max-bytes`; brackets and other signs go. */
export function kebab(name: string): string {
  return name
    .replaceAll('[]', '')
    .replaceAll('OAuth', 'Oauth')
    .replaceAll(/([A-Z])([A-Z][a-z])/g, '$1-$2')
    .replaceAll(/([a-z][0-9]*)([A-Z])/g, '$1-$2')
    .toLowerCase()
    .replaceAll(/[^a-z0-9.]+/g, '-')
    .replaceAll(/^-+|-+$/g, '');
}
