import { readdirSync, watch } from 'node:fs';
import { join } from 'node:path';
import type { Clock } from '../../base/clock.ts';
import type { Resource } from '../../resources/kinds.ts';
import type { Conflict, Store } from '../store.ts';
import { error, type Problem, problemText } from './resource-file.ts';
import { readAgain, type WatchedFile } from './watched-file.ts';

export interface DirectoryOptions {
  readonly directory: string;
  readonly store: Store;
  readonly clock: Clock;
  /** Called with everything that is wrong now, whenever that changes; with nothing once all is well. */
  readonly onProblems: (problems: readonly Problem[]) => void;
}

export interface DirectorySource {
  readonly close: () => void;
}

/** Dotfiles are temporary files of editors, and the folders of mounted ConfigMaps. */
const FILE_NAME = /^[^.].*\.(yaml|yml|json)$/;

/** Milliseconds without another event before files are read, so that a burst of writes is read once. */
const QUIET = 10;

/** Milliseconds after which files are read even while events keep coming. */
const LONGEST_WAIT = 50;

/**
 * Keeps the store equal to the YAML and JSON files of a folder. Everything is loaded when this returns; then changes are
 * followed until `close`. A file with an error keeps what it held before. Throws when the folder cannot be read.
 *
 * Reads synchronously: one load is one step, and one change of the store.
 */
export function openDirectory(options: DirectoryOptions): DirectorySource {
  const { directory, clock } = options;
  const follower: Follower = { options, files: new Map(), conflicts: [], told: '' };
  let firstEvent: number | undefined;
  let cancel: (() => void) | undefined;

  const load = (): void => {
    firstEvent = undefined;
    if (scan(follower) === 'unsettled') soon(QUIET);
  };
  const soon = (delay: number): void => {
    cancel?.();
    cancel = clock.after(delay, load);
  };
  // Watching starts before the first load, so that no change falls between them.
  const watcher = watch(directory, () => {
    const now = clock.monotonic();
    firstEvent ??= now;
    soon(Math.max(0, Math.min(QUIET, firstEvent + LONGEST_WAIT - now)));
  });
  watcher.on('error', (cause) => {
    tell(follower, [error(directory, { line: 1, column: 1 }, `changes are not followed any more: ${cause.message}`)]);
  });
  readdirSync(directory);
  load();
  return {
    close: () => {
      cancel?.();
      watcher.close();
    },
  };
}

/** What is known about the folder from one load to the next. */
interface Follower {
  readonly options: DirectoryOptions;
  readonly files: Map<string, WatchedFile>;
  conflicts: readonly Conflict[];
  /** The problems told last, as text. */
  told: string;
}

/** Brings the store up to the files as they are now; `unsettled` when that should be done again soon. */
function scan(follower: Follower): 'settled' | 'unsettled' {
  const { directory, store, clock } = follower.options;
  const paths = pathsIn(directory);
  if (paths === undefined) {
    tell(follower, [
      error(directory, { line: 1, column: 1 }, 'the folder cannot be read; what it held stays in force'),
    ]);
    return 'settled';
  }
  const changed = new Map<string, readonly Resource[]>();
  let settled = true;
  for (const path of new Set([...paths, ...follower.files.keys()])) {
    const before = follower.files.get(path);
    const now = readAgain(path, before, clock.wall());
    if (now === 'unsettled') settled = false;
    else if (now === 'gone') {
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

function tell(follower: Follower, problems: readonly Problem[]): void {
  const text = problems.map(problemText).join('\n');
  if (text === follower.told) return;
  follower.told = text;
  follower.options.onProblems(problems);
}
