import { existsSync, statSync } from 'node:fs';
import path from 'node:path';
import { CASES_FOLDER } from '../load-suite.ts';
import { knownFileOf } from '../load-known.ts';
import { loadManifest, type Manifest } from '../sut/manifest.ts';
import { UsageFault } from '../sut/session.ts';
import { packageRoot } from '../values/package-root.ts';
import type { FolderWish } from './folder-watch.ts';
import { NOTHING, type Touched } from './touched.ts';

/** A folder whose files matter, and what each of them touches. */
export interface Place extends FolderWish {
  /** Undefined for a file that nothing depends on. */
  readonly touches: (file: string) => Partial<Touched> | undefined;
}

/** What the user named, as far as it lies in files. */
export interface Named {
  readonly manifestFile: string;
  readonly cases?: string | undefined;
  readonly dialect?: string | undefined;
  readonly known?: string | false | undefined;
  /** Where reports go: never watched. */
  readonly out: string;
  /** Folders or files of the implementation, instead of the folder of its manifest. */
  readonly watch: readonly string[];
}

/** The places of a run. A file belongs to the first that holds it: cases may lie below the folder of a manifest. */
export function placesOf(named: Named): readonly Place[] {
  const root = packageRoot();
  const skips = alwaysSkipped(named);
  const cases = path.resolve(named.cases ?? path.join(root, CASES_FOLDER));
  return [
    ...pathsIn(cases, skips, ofCases),
    ...pathsIn(path.join(root, 'docs/spec'), skips, ofRegister),
    // Of a package that is installed there are no sources.
    ...['conformance/runner', 'mocks'].flatMap((folder) => pathsIn(path.join(root, folder), skips, ofSources)),
    ...implementationOf(named).flatMap((file) => pathsIn(file, skips, () => EVERYTHING)),
  ];
}

/** What a changed file touches; undefined where nothing depends on it. */
export function touchedBy(file: string, places: readonly Place[]): Touched | undefined {
  const place = places.find(({ folder, skips }) => file.startsWith(folder + path.sep) && !skips(file));
  const touched = place?.touches(file);
  return touched === undefined ? undefined : { ...NOTHING, ...touched, files: new Set([file]) };
}

const EVERYTHING: Partial<Touched> = { everything: true };

/** Folders that programs write and people do not. */
const MADE_BY_PROGRAMS: ReadonlySet<string> = new Set(['node_modules', '__pycache__', 'target']);
/** Leftovers of editors and of programs that run. */
const LEFTOVER = /(^\.|~$|\.(swp|swx|tmp|log|pid|sock|pyc)$|^4913$)/;

function alwaysSkipped({ manifestFile, out }: Named): (file: string) => boolean {
  const written = [path.resolve(out), ...deliveredTo(manifestFile)];
  return (file) => {
    const name = path.basename(file);
    return (
      MADE_BY_PROGRAMS.has(name) ||
      LEFTOVER.test(name) ||
      written.some((place) => file === place || file.startsWith(place + path.sep))
    );
  };
}

/** A place for a folder, or for one file of its folder; none for what is not there. */
function pathsIn(given: string, skips: FolderWish['skips'], touches: Place['touches']): readonly Place[] {
  const there = statSync(given, { throwIfNoEntry: false });
  if (there === undefined) return [];
  if (there.isDirectory()) return [{ folder: given, deep: true, skips, touches }];
  return [{ folder: path.dirname(given), deep: false, skips: (file) => file !== given, touches }];
}

function ofCases(file: string): Partial<Touched> | undefined {
  if (!file.endsWith('.yaml')) return undefined;
  // A folder that begins with `_` holds data that cases are made from.
  return file.split(path.sep).some((part) => part.startsWith('_')) ? EVERYTHING : { caseFiles: new Set([file]) };
}

function ofRegister(file: string): Partial<Touched> | undefined {
  if (!file.endsWith('.yaml')) return undefined;
  if (path.basename(path.dirname(file)) !== 'clauses') return EVERYTHING;
  return { areas: new Set([path.basename(file, '.yaml')]) };
}

function ofSources(file: string): Partial<Touched> | undefined {
  return file.endsWith('.ts') && !file.includes(`${path.sep}test${path.sep}`) ? EVERYTHING : undefined;
}

/** Everything that makes the implementation what it is. */
function implementationOf(named: Named): readonly string[] {
  const manifest = readable(named.manifestFile);
  const file = path.resolve(named.manifestFile);
  const known = named.known === undefined && manifest !== undefined ? knownFileOf(manifest) : named.known;
  const beside = [known, named.dialect, ...wordsOf(manifest)].filter((one) => typeof one === 'string');
  const sources = named.watch.length === 0 ? [path.dirname(file)] : named.watch.map((one) => path.resolve(one));
  return [...new Set([...sources, file, ...beside.map((one) => path.resolve(one))])];
}

/** A manifest with a mistake is watched like any other: it is about to be repaired. */
function readable(file: string): Manifest | undefined {
  try {
    return loadManifest(file);
  } catch (error) {
    if (error instanceof UsageFault) return undefined;
    throw error;
  }
}

/** Words of its commands that are files: programs, scripts, their configuration. */
function wordsOf(manifest: Manifest | undefined): readonly string[] {
  if (manifest === undefined) return [];
  const { run, adapter = [], folder } = manifest;
  const words = [...('command' in run ? (run.command ?? []) : []), ...adapter];
  const files = words.map((word) => path.resolve(folder, word.replaceAll(/\{\{\s*manifest\s*\}\}/g, folder)));
  return files.filter((file) => existsSync(file) && statSync(file).isFile());
}

/** Where the suite itself writes the configuration: a change there is its own. */
function deliveredTo(manifestFile: string): readonly string[] {
  const manifest = readable(manifestFile);
  if (manifest === undefined || !('config' in manifest.run)) return [];
  const { path: to } = manifest.run.config;
  return to === undefined || to.includes('{{') ? [] : [path.resolve(manifest.folder, to)];
}
