import { keyOf, type Resource } from '../../resources/kinds.ts';
import type { Store } from '../store.ts';

/** The objects people submitted to the resource API. Held in memory only: a restart begins without them. */
export interface ApiSource {
  /** Adds or replaces one object. The store has the new snapshot when this returns. */
  readonly put: (resource: Resource) => void;
  /** Takes objects out as one change; keys it does not hold are ignored. */
  readonly remove: (keys: readonly string[]) => void;
  /** The other source (the path of a file) an object comes from, if it does not come from here. */
  readonly ownedElsewhere: (key: string) => string | undefined;
}

/** The name of this source in the store, and in messages about objects that come from two places. */
const SOURCE = 'the resource API';

/** Whoever calls `put` has asked `ownedElsewhere` first: an object of a file stays with the file. */
export function createApiSource(store: Store): ApiSource {
  const held = new Map<string, Resource>();
  const publish = (): void => {
    store.replace(new Map([[SOURCE, [...held.values()]]]));
  };

  return {
    put: (resource) => {
      held.set(keyOf(resource), resource);
      publish();
    },
    remove: (keys) => {
      const removed = keys.filter((key) => held.delete(key));
      if (removed.length > 0) publish();
    },
    ownedElsewhere: (key) => {
      const source = store.sourceOf(key);
      return source === SOURCE ? undefined : source;
    },
  };
}
