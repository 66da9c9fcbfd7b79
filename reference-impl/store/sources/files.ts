import { readdirSync, statSync } from 'node:fs';
import { dirname, join } from 'node:path';
import type { Clock } from '../../base/clock.ts';
import type { Resource } from '../../resources/kinds.ts';
import type { Conflict, Store } from '../store.ts';
import { followFolder } from './folder-watch.ts';
import { error, type Problem, problemText } from './resource-file.ts';
import { readAgain, type WatchedFile } from './watched-file.ts';

export interface FilesOptions {
  /** A folder, or a single file whatever it is called. */
  readonly path: string;
  readonly store: Store;
  readonly clock: Clock;
  /** Called with everything that is wrong now, whenever that changes; with nothing once all is well. */
  readonly onProblems: (problems: readonly Problem[]) => void;
}

export interface FilesSource {
  readonly close: () => void;
}

/** Dotfiles are temporary files of editors, and the folders of mounted ConfigMaps. */
const FILE_NAME = /^[^.].*\.(yaml|yml|json)$/;

/** Milliseconds without another event before files are read, so that a burst of writes is read once. */
const QUIET = 10;

/** Milliseconds after which files are read even while events keep coming. */
const LONGEST_WAIT = 50;

/** Milliseconds between two looks for a folder that is not there: nothing tells when it is made again. */
const UNTIL_IT_IS_BACK = 250;

/**
 * Keeps the store equal to the YAML and JSON files of a folder, or to one file. Everything is loaded when this returns; then changes are
 * followed until `close`. A file with an error keeps what it held before, and so do the folder and the one file while they are not there; a folder
 * that is made again is followed again.
 * Throws when the path cannot be read.
 *
 * Reads synchronously: one load is one step, and one change of the store.
 */
export function openFiles(options: FilesOptions): FilesSource {
  const { clock } = options;
  const place = placeOf(options.path);
  const follower: Follower = { options, place, files: new Map(), conflicts: [], told: '' };
  let firstEvent: number | undefined;
  let cancel: (() => void) | undefined;

  const load = (): void => {
    firstEvent = undefined;
    // First, so that no change falls between watching and reading.
    const isThere = watched.renew();
    if (scan(follower) === 'unsettled') soon(QUIET);
    else if (!isThere) soon(UNTIL_IT_IS_BACK);
  };
  const soon = (delay: number): void => {
    cancel?.();
    cancel = clock.after(delay, load);
  };
  const watched = followFolder(place.folder, () => {
    const now = clock.monotonic();
    firstEvent ??= now;
    soon(Math.max(0, Math.min(QUIET, firstEvent + LONGEST_WAIT - now)));
  });
  load();
  return {
    close: () => {
      cancel?.();
      watched.close();
    },
  };
}

/** What is followed. */
interface Place {
  /** Watched for changes: a file by the folder it lies in, for what takes its name is another file. */
  readonly folder: string;
  readonly isFile: boolean;
}

function placeOf(path: string): Place {
  const stats = statSync(path);
  if (stats.isFile()) return { folder: dirname(path), isFile: true };
  // Throws when it is no folder, or one that cannot be read.
  readdirSync(path);
  return { folder: path, isFile: false };
}

/** What is known about the files from one load to the next. */
interface Follower {
  readonly options: FilesOptions;
  readonly place: Place;
  readonly files: Map<string, WatchedFile>;
  conflicts: readonly Conflict[];
  /** The problems told last, as text. */
  told: string;
}

/** Brings the store up to the files as they are now; `unsettled` when that should be done again soon. */
function scan(follower: Follower): 'settled' | 'unsettled' {
  const { path: root, store, clock } = follower.options;
  const { isFile } = follower.place;
  const paths = isFile ? [root] : pathsIn(root);
  if (paths === undefined) {
    tellOf(follower, 'the folder cannot be read; what it held stays in force');
    return 'settled';
  }
  const changed = new Map<string, readonly Resource[]>();
  let settled = true;
  for (const path of new Set([...paths, ...follower.files.keys()])) {
    const before = follower.files.get(path);
    const now = readAgain(path, before, clock.wall());
    if (now === 'unsettled') settled = false;
    else if (now === 'gone' && isFile) {
      tellOf(follower, 'the file is not there; what it held stays in force');
      return 'settled';
    } else if (now === 'gone') {
      if (follower.files.delete(path)) changed.set(path, []);
    } else {
      follower.files.set(path, now);
      if (now.good !== before?.good) changed.set(path, now.good);
    }
  }
  if (changed.size > 0) follower.conflicts = store.replace(changed);
  tell(follower, problemsOf(follower));
  return settled ? 'settled' : 'unsettled';
}

/** In the order of their names, which decides who keeps an object that two files bring. */
function pathsIn(directory: string): string[] | undefined {
  try {
    return readdirSync(directory)
      .filter((name) => FILE_NAME.test(name))
      .toSorted()
      .map((name) => join(directory, name));
  } catch {
    // A folder can vanish while it is followed; the caller says so.
    return undefined;
  }
}

function problemsOf({ files, conflicts }: Follower): Problem[] {
  const duplicates = conflicts.map(({ key, source, owner }) => {
    const place = files.get(source)?.content.resources.find((located) => located.key === key)?.position;
    const other = files.get(owner)?.content.resources.find((located) => located.key === key)?.position;
    const position = place ?? { line: 1, column: 1 };
    // An owner that is no file has no lines.
    const at = other === undefined ? owner : `${owner}:${other.line}`;
    return error(source, position, `${key} is already at ${at}; the one here is left out`);
  });
  return [...files.values()].flatMap(({ content }) => content.problems).concat(duplicates);
}

/** Something about the path as a whole. */
function tellOf(follower: Follower, message: string): void {
  tell(follower, [error(follower.options.path, { line: 1, column: 1 }, message)]);
}

function tell(follower: Follower, problems: readonly Problem[]): void {
  const text = problems.map(problemText).join('\n');
  if (text === follower.told) return;
  follower.told = text;
  follower.options.onProblems(problems);
}
