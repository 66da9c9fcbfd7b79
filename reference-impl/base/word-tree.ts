/** What a word may be. All of them are known before: no client chooses one. */
export type Word = string | number | null | undefined;

/**
 * Values by several words, found without making one text of them: a text that is new each time has to be read to its end before
 * anything can be found by it.
 */
export class WordTree<Value> {
  readonly #branches = new Map<Word, WordTree<Value>>();
  #value: Value | undefined;

  /** The value at these words, from that place on; made when it is first asked for. */
  at(words: readonly Word[], make: () => Value, place = 0): Value {
    if (place === words.length) return (this.#value ??= make());
    const word = words[place];
    return (this.#branches.get(word) ?? this.#grow(word)).at(words, make, place + 1);
  }

  #grow(word: Word): WordTree<Value> {
    const branch = new WordTree<Value>();
    this.#branches.set(word, branch);
    return branch;
  }
}
