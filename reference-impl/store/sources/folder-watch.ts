import { type FSWatcher, statSync, watch } from 'node:fs';
import { basename } from 'node:path';

/** A folder that is watched, whichever folder has its name. */
export interface FollowedFolder {
  /** Begins to watch, or begins again when another folder has the name by now. Gives whether there is a folder. */
  readonly renew: () => boolean;
  readonly close: () => void;
}

/** Calls `onEvent` when something changes in the folder. A watch ends with its folder, so `renew` comes before each reading. */
export function followFolder(folder: string, onEvent: () => void): FollowedFolder {
  let watcher: FSWatcher | undefined;
  let watched: string | undefined;
  const close = (): void => {
    watcher?.close();
    watcher = undefined;
  };
  const begin = (): void => {
    watcher = watch(folder, (_, name) => {
      // Its own name: it was deleted or moved. Its number may be given to the next folder at once.
      if (name === basename(folder)) close();
      onEvent();
    });
    watcher.on('error', () => {
      close();
      onEvent();
    });
  };

  return {
    renew: () => {
      const now = identityOf(folder);
      if (watcher !== undefined && now === watched) return true;
      close();
      watched = now;
      if (now === undefined) return false;
      try {
        begin();
        return true;
      } catch {
        // It went between the look and the watch, or may not be watched: the caller asks again.
        return false;
      }
    },
    close,
  };
}

/** What tells one folder from the next of the same name. */
function identityOf(folder: string): string | undefined {
  try {
    const { dev, ino } = statSync(folder);
    return `${dev} ${ino}`;
  } catch {
    return undefined;
  }
}
