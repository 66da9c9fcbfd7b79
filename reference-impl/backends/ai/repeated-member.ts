/**
 * The name that some object of a JSON text gives to two of its members, at any depth; undefined when none does. Parsers
 * disagree about which of the two counts, so that one reader could judge what another never sees (docs/decisions/models.md).
 * `text` is JSON; the time is linear in it.
 */
export function repeatedMember(text: string): string | undefined {
  // One entry for each object or list that is open; undefined for a list.
  const open: (Names | undefined)[] = [];
  for (let at = 0; at < text.length; at += 1) {
    const code = text.charCodeAt(at);
    if (code === QUOTE) {
      const end = endOfString(text, at);
      const names = open[open.length - 1];
      if (names !== undefined && isName(text, end)) {
        const name = nameIn(text, at, end);
        if (names.has(name)) return name;
        names.add(name);
      }
      at = end - 1;
    } else if (code === OPEN_OBJECT) open.push(new Names());
    else if (code === OPEN_LIST) open.push(undefined);
    else if (code === CLOSE_OBJECT || code === CLOSE_LIST) open.pop();
  }
  return undefined;
}

const QUOTE = 0x22;
const OPEN_OBJECT = 0x7b;
const CLOSE_OBJECT = 0x7d;
const OPEN_LIST = 0x5b;
const CLOSE_LIST = 0x5d;
const BACKSLASH = 0x5c;
const COLON = 0x3a;
/** JSON knows no white space beyond it. */
const BLANK = 0x20;

/** Behind the quote that ends the string that begins at `start`. */
function endOfString(text: string, start: number): number {
  for (let quote = text.indexOf('"', start + 1); quote !== -1; quote = text.indexOf('"', quote + 1)) {
    let before = quote;
    while (text.charCodeAt(before - 1) === BACKSLASH) before -= 1;
    if ((quote - before) % 2 === 0) return quote + 1;
  }
  return text.length;
}

function isName(text: string, end: number): boolean {
  let at = end;
  while (text.charCodeAt(at) <= BLANK) at += 1;
  return text.charCodeAt(at) === COLON;
}

/** A name can also be spelled with escapes. */
function nameIn(text: string, start: number, end: number): string {
  const name = text.slice(start + 1, end - 1);
  return name.includes('\\') ? String(JSON.parse(text.slice(start, end))) : name;
}

/** Of one object. Most have few members, and a set costs more than looking at each. */
class Names {
  readonly #few: string[] = [];
  #many: Set<string> | undefined;

  has(name: string): boolean {
    return this.#many === undefined ? this.#few.includes(name) : this.#many.has(name);
  }

  add(name: string): void {
    if (this.#many !== undefined) this.#many.add(name);
    else if (this.#few.push(name) > FEW) this.#many = new Set(this.#few);
  }
}

const FEW = 8;
