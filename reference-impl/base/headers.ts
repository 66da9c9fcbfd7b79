/**
 * Header fields in the order and case they arrived, looked up without regard to case.
 * A HeaderMap never changes: every edit returns a new one, so a trace snapshot can keep the map it saw.
 */
export class HeaderMap {
  static readonly EMPTY = new HeaderMap([]);

  /** Flat list as Node gives it: name, value, name, value, … */
  readonly #raw: readonly string[];
  #lower: readonly string[] | undefined;
  #view: HeaderView | undefined;

  private constructor(raw: readonly string[], lower?: readonly string[]) {
    this.#raw = raw;
    this.#lower = lower;
  }

  /**
   * From Node's `rawHeaders`, with the names in lower case if the caller has them; the lists are not copied and must
   * not be changed afterwards.
   */
  static fromRaw(raw: readonly string[], names?: readonly string[]): HeaderMap {
    return raw.length === 0 ? HeaderMap.EMPTY : new HeaderMap(raw, names);
  }

  static of(pairs: Iterable<readonly [name: string, value: string]>): HeaderMap {
    return HeaderMap.fromRaw([...pairs].flat());
  }

  /** The first value of the field, or undefined. */
  get(name: string): string | undefined {
    const lower = name.toLowerCase();
    const index = this.names().indexOf(lower);
    return index < 0 ? undefined : this.#raw[index * 2 + 1];
  }

  getAll(name: string): string[] {
    const lower = name.toLowerCase();
    return this.names().flatMap((candidate, index) => (candidate === lower ? [this.#raw[index * 2 + 1] ?? ''] : []));
  }

  has(name: string): boolean {
    return this.names().includes(name.toLowerCase());
  }

  /** Replaces every value of the field; a field that was present keeps its place. */
  set(name: string, value: string): HeaderMap {
    const lower = name.toLowerCase();
    const names = this.names();
    const at = names.indexOf(lower);
    if (at < 0) return this.add(name, value);
    if (names.includes(lower, at + 1))
      return this.#filtered((candidate, index) => candidate !== lower || index === at).set(name, value);
    const raw = this.#raw.with(at * 2, name);
    raw[at * 2 + 1] = value;
    return new HeaderMap(raw, names);
  }

  add(name: string, value: string): HeaderMap {
    return new HeaderMap([...this.#raw, name, value], [...this.names(), name.toLowerCase()]);
  }

  remove(...removed: readonly string[]): HeaderMap {
    const unwanted = new Set(removed.map((name) => name.toLowerCase()));
    if (!this.names().some((name) => unwanted.has(name))) return this;
    return this.#filtered((name) => !unwanted.has(name));
  }

  *[Symbol.iterator](): Generator<[name: string, value: string]> {
    for (let index = 0; index < this.#raw.length; index += 2) {
      yield [this.#raw[index] ?? '', this.#raw[index + 1] ?? ''];
    }
  }

  /** Flat list for `writeHead` and undici; do not change it. */
  toRaw(): readonly string[] {
    return this.#raw;
  }

  /** The same fields in the same order, every name in lower case. */
  withLowerCaseNames(): HeaderMap {
    const names = this.names();
    if (names.every((name, index) => name === this.#raw[index * 2])) return this;
    return new HeaderMap(
      this.#raw.map((text, index) => (index % 2 === 0 ? (names[index / 2] ?? text) : text)),
      names,
    );
  }

  /** Every field under its lower-case name: its value, or the list of its values when it came more than once. */
  view(): HeaderView {
    return (this.#view ??= viewOf(this.#raw, this.names()));
  }

  get size(): number {
    return this.#raw.length / 2;
  }

  #filtered(keep: (lower: string, index: number) => boolean): HeaderMap {
    const raw: string[] = [];
    const lower: string[] = [];
    for (const [index, name] of this.names().entries()) {
      if (!keep(name, index)) continue;
      raw.push(this.#raw[index * 2] ?? '', this.#raw[index * 2 + 1] ?? '');
      lower.push(name);
    }
    return HeaderMap.fromRaw(raw, lower);
  }

  /** The name of each field, in lower case; do not change the list. */
  names(): readonly string[] {
    if (this.#lower === undefined) {
      const lower: string[] = [];
      for (let index = 0; index < this.#raw.length; index += 2) lower.push((this.#raw[index] ?? '').toLowerCase());
      this.#lower = lower;
    }
    return this.#lower;
  }
}

export type HeaderView = Readonly<Record<string, string | readonly string[]>>;

function viewOf(raw: readonly string[], names: readonly string[]): HeaderView {
  const view: Record<string, string | readonly string[]> = {};
  for (const [index, name] of names.entries()) {
    const value = raw[index * 2 + 1] ?? '';
    const together = Object.hasOwn(view, name) ? [view[name] ?? [], value].flat() : value;
    // A field may be called `__proto__`, to which an object cannot be assigned.
    if (name === '__proto__')
      Object.defineProperty(view, name, { value: together, enumerable: true, configurable: true });
    else view[name] = together;
  }
  return view;
}

/** True when the text can stand as a field value; anything else could split the message. */
export function isFieldValue(text: string): boolean {
  return /^[\t\x20-\x7e\x80-\uffff]*$/.test(text);
}
