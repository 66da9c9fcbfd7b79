import type { View } from '../../attachment/view.ts';
import { type Clock, rfc3339 } from '../../base/clock.ts';
import type { Envelope } from '../../resources/envelope.ts';
import { type KindName, type Resource, resourceKey } from '../../resources/kinds.ts';
import type { Snapshot } from '../../store/snapshot.ts';
import { impliedNamespaces } from './implied-namespaces.ts';
import { shownObject, type ShownObject } from './shown-object.ts';
import { withTransitionTimes } from './transition-times.ts';

/** Everything a client can see, each object with the version of its last change, and the changes that led here. */
export interface KnownObjects {
  /** Version of the last change; grows by one with each. */
  readonly version: () => number;
  readonly get: (key: string) => KnownObject | undefined;
  /** All of one kind, ordered by namespace, then name. */
  readonly all: (kind: KindName) => readonly KnownObject[];
  /** The changes after a version; undefined when they are not known any more, or not yet. */
  readonly since: (version: number) => readonly Change[] | undefined;
  /** Calls `listener` after every change, until the returned function is called. */
  readonly subscribe: (listener: () => void) => () => void;
}

export interface KnownObject {
  readonly key: string;
  readonly version: number;
  /** With computed status; credentials included. */
  readonly object: ShownObject;
  /** What it was made of: the resource, and the text of its status without times. */
  readonly stored: Resource;
  readonly statusText: string | undefined;
}

export interface Change {
  readonly type: 'ADDED' | 'MODIFIED' | 'DELETED';
  readonly version: number;
  /** With DELETED: as it was last, at the version of its end. */
  readonly known: KnownObject;
  readonly before?: KnownObject;
}

/** Changes that are kept for clients that watch. */
const HISTORY = 10_000;

export interface KnownObjectsOptions {
  readonly view: () => View;
  readonly snapshot: () => Snapshot;
  readonly onChange: (listener: () => void) => void;
  readonly clock: Pick<Clock, 'wall'>;
}

/**
 * Follows the configuration in force, beginning with the first question: a proxy whose API nobody uses computes nothing.
 * Versions start at the time of day in milliseconds, so that a client of an earlier process is told that it is behind.
 */
export function followObjects({ view, snapshot, onChange, clock }: KnownObjectsOptions): KnownObjects {
  const listeners = new Set<() => void>();
  const changes: Change[] = [];
  let objects = new Map<string, KnownObject>();
  let version = clock.wall();
  let started = false;

  const record = (change: Change): void => {
    changes.push(change);
    if (changes.length > HISTORY * 2) changes.splice(0, changes.length - HISTORY);
  };
  const refresh = (): void => {
    const next = new Map<string, KnownObject>();
    const now = rfc3339(clock.wall());
    for (const [key, stored, status] of visible(snapshot(), view())) {
      const before = objects.get(key);
      const statusText = JSON.stringify(status);
      if (before?.stored === stored && before.statusText === statusText) {
        next.set(key, before);
        continue;
      }
      version += 1;
      const dated = withTransitionTimes(status, before?.object.status, now);
      const known = { key, version, stored, statusText, object: shownObject(key, stored, dated, version) };
      next.set(key, known);
      if (before === undefined) record({ type: 'ADDED', version, known });
      else record({ type: 'MODIFIED', version, known, before });
    }
    for (const [key, before] of objects) {
      if (next.has(key)) continue;
      version += 1;
      const object = shownObject(key, before.stored, before.object.status, version);
      const known = { ...before, version, object };
      record({ type: 'DELETED', version, known, before });
    }
    objects = next;
  };
  const start = (): void => {
    if (started) return;
    started = true;
    refresh();
    onChange(() => {
      const before = version;
      refresh();
      if (version !== before) for (const listener of listeners) listener();
    });
  };

  return {
    version: () => {
      start();
      return version;
    },
    get: (key) => {
      start();
      return objects.get(key);
    },
    all: (kind) => {
      start();
      return [...objects.values()].filter(({ object }) => object.kind === kind).toSorted(byPlace);
    },
    since: (from) => {
      start();
      const first = changes[0]?.version ?? version + 1;
      return from > version || from < first - 1 ? undefined : changes.filter((change) => change.version > from);
    },
    subscribe: (listener) => {
      listeners.add(listener);
      return () => {
        listeners.delete(listener);
      };
    },
  };
}

/** Every resource, with the Namespaces nobody wrote but others live in, and its status without times. */
function* visible(snapshot: Snapshot, view: View): Generator<readonly [string, Resource, object | undefined]> {
  const statuses = new Map(view.status().map((each) => [`${each.kind}/${each.namespace}/${each.name}`, each.status]));
  for (const [key, resource] of snapshot.resources) {
    const { kind, metadata } = resource;
    yield [
      key,
      resource,
      statuses.get(`${kind}/${metadata.namespace ?? ''}/${metadata.name}`) ?? plainStatus(resource),
    ];
  }
  for (const namespace of impliedNamespaces(snapshot)) {
    yield [resourceKey('Namespace', '', namespace.metadata.name), namespace, plainStatus(namespace)];
  }
}

/** The status of kinds the proxy does not compute one for; clients expect these two to be there. */
function plainStatus(resource: Resource): object | undefined {
  if (resource.kind === 'Namespace') return { phase: 'Active' };
  if (resource.kind === 'Service') return resource.status ?? { loadBalancer: {} };
  return undefined;
}

function byPlace({ object: left }: { object: Envelope }, { object: right }: { object: Envelope }): number {
  return (
    compare(left.metadata.namespace ?? '', right.metadata.namespace ?? '') ||
    compare(left.metadata.name, right.metadata.name)
  );
}

function compare(left: string, right: string): number {
  return left === right ? 0 : left < right ? -1 : 1;
}
