/** The users of an htpasswd file: the stored hash by name. */
export type Users = ReadonlyMap<string, string>;

/**
 * Reads an htpasswd file (BASIC-014): `name:hash` in each line. Empty lines, comments and lines of another form are
 * passed over; of two lines for one name the first counts. Never throws.
 */
export function parseHtpasswd(text: string): Users {
  const users = new Map<string, string>();
  for (const line of text.split(/\r\n|\n|\r/)) {
    const { name, hash } = fieldsOf(line);
    if (name !== '' && hash !== '' && !users.has(name)) users.set(name, hash);
  }
  return users;
}

/** What follows a second colon is no part of the hash. */
function fieldsOf(line: string): { readonly name: string; readonly hash: string } {
  const text = line.trim();
  if (text.startsWith('#')) return { name: '', hash: '' };
  const [name = '', hash = ''] = text.split(':', 2);
  return { name, hash };
}
