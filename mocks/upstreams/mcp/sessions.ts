/** The sessions of one server: another replica does not know them. */
export interface Sessions {
  readonly begin: () => string;
  readonly has: (id: string | undefined) => boolean;
  readonly end: (id: string) => void;
}

/** A server forgets its oldest session when it has more. */
const MOST = 10_000;

/** No sessions yet; `server` makes the ids of two servers different. */
export function createSessions(server: string): Sessions {
  const known = new Set<string>();
  let begun = 0;
  return {
    begin: () => {
      begun += 1;
      const id = `${server}-${begun}`;
      known.add(id);
      const [oldest] = known;
      if (known.size > MOST && oldest !== undefined) known.delete(oldest);
      return id;
    },
    has: (id) => id !== undefined && known.has(id),
    end: (id) => void known.delete(id),
  };
}
