/**
 * Whether JSON text may have a member of this name more than once, in one object or in several. Parsers disagree about
 * which one counts, so a provider could be asked for another model than the one that was allowed. May say yes without
 * need, never no.
 */
export function repeatsMember(text: string, name: string): boolean {
  const first = text.indexOf(name);
  const written = first >= 0 && text.includes(name, first + name.length);
  // A name can also be spelled with escapes.
  return (written || text.includes('\\')) && membersCalled(text, name) > 1;
}

function membersCalled(text: string, name: string): number {
  let members = 0;
  for (const [, written = '', colon] of text.matchAll(STRING)) {
    if (colon !== undefined && unescape(written) === name) members += 1;
  }
  return members;
}

/** Every text of a document, one after the other, and the colon behind the names of members. */
const STRING = /"((?:[^"\\]|\\.)*)"(\s*:)?/g;

function unescape(written: string): string {
  return written.replace(/\\u([0-9a-fA-F]{4})/g, (_, digits: string) => String.fromCharCode(parseInt(digits, 16)));
}
