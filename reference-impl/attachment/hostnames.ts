/** A hostname of a listener or route: exact, `*.suffix` for one or more labels in front, or undefined for every host. */
export type Hostname = string | undefined;

/** Longest name DNS knows; anything longer can only meet a catch-all. */
const LONGEST_HOST = 253;

/** Whether the hostname claims `host` (lower case, without port). */
function claims(hostname: Hostname, host: string): boolean {
  if (hostname === undefined) return true;
  const pattern = hostname.toLowerCase();
  return pattern.startsWith('*.') ? host.length >= pattern.length && host.endsWith(pattern.slice(1)) : host === pattern;
}

/** Whether some host is claimed by both. */
export function overlap(one: Hostname, other: Hostname): boolean {
  if (one === undefined || other === undefined) return true;
  return claims(one, other.toLowerCase()) || claims(other, one.toLowerCase());
}

/** Entries found by host in constant time, however many there are. */
export interface HostTable<Entry> {
  /** Entries whose hostname claims `host`, most specific first: exact, longest wildcard, …, catch-all. */
  readonly lookup: (host: string) => Entry[];
}

/** One entry per hostname; of two entries for one hostname the first counts. */
export function hostTable<Entry>(entries: Iterable<readonly [Hostname, Entry]>): HostTable<Entry> {
  const byHostname = new Map<string, Entry>();
  for (const [hostname, entry] of entries) {
    const key = hostname?.toLowerCase() ?? '';
    if (!byHostname.has(key)) byHostname.set(key, entry);
  }
  const hasWildcards = [...byHostname.keys()].some((key) => key.startsWith('*'));
  return {
    lookup: (host) => {
      const found: Entry[] = [];
      for (const key of candidates(host.toLowerCase(), hasWildcards)) {
        const entry = byHostname.get(key);
        if (entry !== undefined) found.push(entry);
      }
      return found;
    },
  };
}

/** `a.b.c` → `a.b.c`, with wildcards `*.b.c` and `*.c`, and the empty key of the catch-all. */
function candidates(host: string, wildcards: boolean): string[] {
  if (host.length > LONGEST_HOST) return [''];
  const keys = host === '' || host.startsWith('*') ? [] : [host];
  // A table without wildcards need not be asked for them, label by label.
  if (wildcards)
    for (let dot = host.indexOf('.', 1); dot > 0; dot = host.indexOf('.', dot + 1)) keys.push(`*${host.slice(dot)}`);
  keys.push('');
  return keys;
}
