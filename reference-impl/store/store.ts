import { isDeepStrictEqual } from 'node:util';
import { type Clock, rfc3339 } from '../base/clock.ts';
import { keyOf, type Resource } from '../resources/kinds.ts';
import { type Snapshot, snapshotOf } from './snapshot.ts';

/**
 * All resources, by the source they came from. A source is a file, or the resource API; each is the whole owner of what it
 * brought, and no object can come from two.
 */
export interface Store {
  readonly snapshot: () => Snapshot;
  /** Sets everything the named sources hold, as one change: one new snapshot at most. Returns the objects left out. */
  readonly replace: (contents: ReadonlyMap<string, readonly Resource[]>) => readonly Conflict[];
  readonly apply: (source: string, resource: Resource) => Conflict | undefined;
  /** Whether the source had an object with this key. */
  readonly delete: (source: string, key: string) => boolean;
  /** The source an object came from. */
  readonly sourceOf: (key: string) => string | undefined;
  /** Calls `listener` for every later snapshot, until the returned function is called. */
  readonly subscribe: (listener: (snapshot: Snapshot) => void) => () => void;
}

/** The same object in two sources: the one of `owner` counts. */
export interface Conflict {
  readonly key: string;
  readonly source: string;
  readonly owner: string;
}

interface Held {
  /** As the source gave it; the same object given again is no change. */
  readonly given: Resource;
  readonly stored: Resource;
  readonly source: string;
}

/** `clock` gives the creation time of objects that bring none; the generation of those that bring none is counted here. */
export function createStore(clock: Pick<Clock, 'wall'>): Store {
  const contents = new Map<string, ReadonlyMap<string, Resource>>();
  const listeners = new Set<(snapshot: Snapshot) => void>();
  let held = new Map<string, Held>();
  let resourceVersion = 0;
  let snapshot = snapshotOf(0, new Map());

  function publish(next: Map<string, Held>): void {
    const changed = next.size !== held.size || [...next].some(([key, { stored }]) => held.get(key)?.stored !== stored);
    held = next;
    if (!changed) return;
    snapshot = snapshotOf(snapshot.generation + 1, new Map([...next].map(([key, { stored }]) => [key, stored])));
    for (const listener of listeners) listener(snapshot);
  }

  function replace(changed: ReadonlyMap<string, readonly Resource[]>): readonly Conflict[] {
    for (const [source, resources] of changed) {
      if (resources.length === 0) contents.delete(source);
      else contents.set(source, new Map(resources.map((resource) => [keyOf(resource), resource])));
    }
    const { owners, conflicts } = chooseOwners(contents, held);
    const next = new Map<string, Held>();
    for (const [key, { source, resource }] of owners) {
      const before = held.get(key);
      if (before?.given === resource) next.set(key, { ...before, source });
      else next.set(key, { given: resource, stored: stamped(resource, before?.stored), source });
    }
    publish(next);
    return conflicts;
  }

  function stamped(resource: Resource, before: Resource | undefined): Resource {
    resourceVersion += 1;
    const created = resource.metadata.creationTimestamp ?? before?.metadata.creationTimestamp ?? rfc3339(clock.wall());
    const same = before !== undefined && isDeepStrictEqual(withoutMetadata(resource), withoutMetadata(before));
    // What an API server counted stays what it is: whoever reads the status there compares observedGeneration with it.
    const generation = resource.metadata.generation ?? (before?.metadata.generation ?? 0) + (same ? 0 : 1);
    const metadata = {
      ...resource.metadata,
      creationTimestamp: created,
      generation,
      resourceVersion: String(resourceVersion),
    };
    return { ...resource, metadata };
  }

  return {
    snapshot: () => snapshot,
    replace,
    apply: (source, resource) => {
      const key = keyOf(resource);
      const others = [...(contents.get(source)?.values() ?? [])].filter((other) => keyOf(other) !== key);
      const conflicts = replace(new Map([[source, [...others, resource]]]));
      return conflicts.find((conflict) => conflict.key === key && conflict.source === source);
    },
    delete: (source, key) => {
      const resources = contents.get(source);
      if (resources?.has(key) !== true) return false;
      replace(new Map([[source, [...resources.values()].filter((resource) => keyOf(resource) !== key)]]));
      return true;
    },
    sourceOf: (key) => held.get(key)?.source,
    subscribe: (listener) => {
      listeners.add(listener);
      return () => {
        listeners.delete(listener);
      };
    },
  };
}

/** Labels, annotations and what managers record are not what the generation counts. */
function withoutMetadata(resource: Resource): object {
  return { ...resource, metadata: {} };
}

/** Who had an object keeps it while it still brings it; otherwise the first source by name gets it. */
function chooseOwners(
  contents: ReadonlyMap<string, ReadonlyMap<string, Resource>>,
  held: ReadonlyMap<string, Held>,
): { owners: Map<string, { source: string; resource: Resource }>; conflicts: Conflict[] } {
  const owners = new Map<string, { source: string; resource: Resource }>();
  const conflicts: Conflict[] = [];
  for (const source of [...contents.keys()].toSorted()) {
    for (const [key, resource] of contents.get(source) ?? []) {
      const rival = owners.get(key);
      const keepsIt = held.get(key)?.source === source;
      if (rival === undefined || keepsIt) owners.set(key, { source, resource });
      if (rival !== undefined) {
        conflicts.push({ key, source: keepsIt ? rival.source : source, owner: keepsIt ? source : rival.source });
      }
    }
  }
  return { owners, conflicts };
}
