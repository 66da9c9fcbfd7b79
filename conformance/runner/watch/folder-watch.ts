import { lstatSync, readdirSync, watch, type FSWatcher } from 'node:fs';
import path from 'node:path';
import { UsageFault } from '../sut/session.ts';

/** What of a folder is looked at. */
export interface FolderWish {
  readonly folder: string;
  /** The folders below it, too. */
  readonly deep: boolean;
  /** Files and folders that are left alone. */
  readonly skips: (file: string) => boolean;
}

/** A folder that is watched. */
export interface FolderWatch {
  readonly folders: () => number;
  readonly close: () => void;
}

/**
 * Calls back with every file that is written, made, replaced or removed in a folder. Each folder is watched for itself: editors replace
 * files, and a watch on a file would stay with the one that is gone. Throws UsageFault where the system watches no more folders.
 */
export function watchFolder({ folder, deep, skips }: FolderWish, changed: (file: string) => void): FolderWatch {
  const watchers = new Map<string, FSWatcher>();
  const drop = (place: string): void => {
    for (const [known, watcher] of watchers) {
      if (known !== place && !known.startsWith(place + path.sep)) continue;
      watcher.close();
      watchers.delete(known);
    }
  };
  const add = (place: string, tells: boolean): void => {
    const watcher = openWatch(place, (event, name) => see(path.join(place, name), event));
    if (watcher === undefined) return;
    watchers.set(place, watcher);
    // A folder that goes away tells so; whoever listens to the one above hears it, too.
    watcher.on('error', () => drop(place));
    for (const entry of entriesOf(place)) {
      const below = path.join(place, entry.name);
      if (skips(below)) continue;
      if (entry.isDirectory()) {
        if (deep) add(below, tells);
      } else if (tells) changed(below);
    }
  };
  const see = (file: string, event: string): void => {
    if (skips(file)) return;
    if (!isFolder(file)) {
      drop(file);
      changed(file);
    } else if (deep && event === 'rename') {
      drop(file);
      // Files may have come into it before it was watched.
      add(file, true);
    }
  };
  add(folder, false);
  return { folders: () => watchers.size, close: () => drop(folder) };
}

/** Undefined for a folder that is gone already. */
function openWatch(place: string, see: (event: string, name: string) => void): FSWatcher | undefined {
  try {
    return watch(place, (event, name) => {
      if (name !== null) see(event, name);
    });
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? error.code : undefined;
    if (code === 'ENOENT' || code === 'ENOTDIR') return undefined;
    throw new UsageFault(`${place}: cannot be watched (${String(code ?? error)}); --watch names fewer folders`);
  }
}

function entriesOf(place: string): ReturnType<typeof readEntries> {
  try {
    return readEntries(place);
  } catch {
    return [];
  }
}

function readEntries(place: string) {
  return readdirSync(place, { withFileTypes: true });
}

/** A link to a folder is none: it may lead back to where it stands. */
function isFolder(file: string): boolean {
  return lstatSync(file, { throwIfNoEntry: false })?.isDirectory() === true;
}
