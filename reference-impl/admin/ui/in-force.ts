import { listenersOf, listenerText, refText, type Dump, type Sources } from './dump.ts';
import { readOrigins } from './outcome.ts';
import type { View } from './place.ts';

/** A place where one field of a resource is in force. */
export interface InForce {
  readonly field: string;
  readonly level: string;
  /** In words, and where the page shows it. */
  readonly place: string;
  readonly view: View;
  readonly open: string;
}

/** By `kind namespace/name`, where the fields of each resource are in force after merging. */
export function inForceBy(dump: Dump): ReadonlyMap<string, readonly InForce[]> {
  const found = new Map<string, InForce[]>();
  const note = (sources: Sources | undefined, at: Pick<InForce, 'place' | 'view' | 'open'>): void => {
    for (const [field, value] of Object.entries(sources ?? {}))
      for (const { kind, namespace, name, level } of readOrigins(value)) {
        const key = `${kind} ${namespace}/${name}`;
        const places = found.get(key) ?? [];
        places.push({ field, level, ...at });
        found.set(key, places);
      }
  };
  for (const { port, listener } of listenersOf(dump)) {
    const text = listenerText(listener);
    const here = { place: `listener ${text}`, view: 'listeners', open: `${port} ${text}` } as const;
    note(listener.sources.frontend, here);
    note(listener.sources.preRouting, here);
    for (const { key, sources, backends } of listener.rules) {
      const way = { view: 'routes', open: key } as const;
      note(sources, { place: `rule ${key} on ${text}`, ...way });
      for (const { ref, sources: ofBackend } of backends)
        note(ofBackend, { place: `${refText(ref)} by rule ${key} on ${text}`, ...way });
    }
  }
  return found;
}
