/**
 * What waits, by whose it is: owners take turns, and what one owner has waits in the order of arrival. So the many
 * things of one owner cost another owner's next thing no more than one turn.
 */
export class Turns<Item> {
  /** The owner whose turn is next stands first. An owner that has nothing is not here. */
  readonly #lines = new Map<object, Set<Item>>();
  readonly #room: number;

  /** `room`: how many things of one owner may wait. */
  constructor(room: number) {
    this.#room = room;
  }

  /** Whether there was room. */
  add(owner: object, item: Item): boolean {
    const line = this.#lines.get(owner) ?? new Set();
    if (line.size >= this.#room) return false;
    this.#lines.set(owner, line.add(item));
    return true;
  }

  /** Takes out what is next; undefined when nothing waits. Its owner then stands behind all others. */
  take(): Item | undefined {
    for (const [owner, line] of this.#lines) {
      for (const item of line) {
        this.#lines.delete(owner);
        line.delete(item);
        if (line.size > 0) this.#lines.set(owner, line);
        return item;
      }
    }
    return undefined;
  }

  remove(owner: object, item: Item): void {
    const line = this.#lines.get(owner);
    line?.delete(item);
    if (line?.size === 0) this.#lines.delete(owner);
  }
}
