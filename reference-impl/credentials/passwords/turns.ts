/** Whose a thing is: one client's, among those who ask one owner. */
export interface Place {
  readonly owner: object;
  readonly client: string;
}

/**
 * What waits, by whose it is: owners take turns, the clients of an owner take turns, and what one client has waits in the
 * order of arrival. So the many things of one owner, or of one client, cost another's next thing no more than one turn.
 */
export class Turns<Item> {
  /** Who is next stands first. An owner, or a client, that has nothing is not here. */
  readonly #owners = new Map<object, Map<string, Set<Item>>>();
  readonly #room: number;

  /** `room`: how many things of one owner may wait. */
  constructor(room: number) {
    this.#room = room;
  }

  /**
   * What there was no room for, which then does not wait: the newest of the client who has most waiting, be it this one.
   * Undefined while there is room.
   */
  add({ owner, client }: Place, item: Item): Item | undefined {
    const clients = this.#owners.get(owner) ?? new Map<string, Set<Item>>();
    this.#owners.set(owner, clients);
    const line = clients.get(client) ?? new Set();
    clients.set(client, line.add(item));
    if (waitingIn(clients) <= this.#room) return undefined;
    const [most, longest] = longestOf(clients, client);
    const newest = [...longest].at(-1);
    if (newest !== undefined) this.remove({ owner, client: most }, newest);
    return newest;
  }

  /** Takes out what is next; undefined when nothing waits. Its owner and its client then stand behind all others. */
  take(): Item | undefined {
    for (const [owner, clients] of this.#owners) {
      this.#owners.delete(owner);
      const item = takeFrom(clients);
      if (clients.size > 0) this.#owners.set(owner, clients);
      if (item !== undefined) return item;
    }
    return undefined;
  }

  remove({ owner, client }: Place, item: Item): void {
    const clients = this.#owners.get(owner);
    const line = clients?.get(client);
    line?.delete(item);
    if (line?.size === 0) clients?.delete(client);
    if (clients?.size === 0) this.#owners.delete(owner);
  }
}

function waitingIn(clients: ReadonlyMap<string, ReadonlySet<unknown>>): number {
  return [...clients.values()].reduce((sum, { size }) => sum + size, 0);
}

/** Of several, `client` when it is one of them. */
function longestOf<Item>(
  clients: ReadonlyMap<string, ReadonlySet<Item>>,
  client: string,
): readonly [string, ReadonlySet<Item>] {
  const own = [client, clients.get(client) ?? new Set<Item>()] as const;
  return [...clients].reduce<readonly [string, ReadonlySet<Item>]>(
    (most, other) => (other[1].size > most[1].size ? other : most),
    own,
  );
}

function takeFrom<Item>(clients: Map<string, Set<Item>>): Item | undefined {
  for (const [client, line] of clients) {
    clients.delete(client);
    for (const item of line) {
      line.delete(item);
      if (line.size > 0) clients.set(client, line);
      return item;
    }
  }
  return undefined;
}
