import { hash } from 'node:crypto';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { deserialize, serialize } from 'node:v8';
import type { ConcreteCase } from '../../../conformance/runner/case/concrete-case.ts';
import { once } from '../../../conformance/runner/values/once.ts';
import type { Mutant } from './mutant.ts';
import type { Covered } from './mutated-reference.ts';

/** How often one case came by each mutant of one file, in the order of its mutants; more often than 255 is 255. Null for a case that was not green. */
type Hits = Uint8Array | null;

/** What cases came by, kept from one run to the next: per text of a file and per case. */
export interface Followed {
  /** Undefined for a case that was not followed yet. */
  readonly of: (one: ConcreteCase) => CaseHits | undefined;
  readonly keep: (one: ConcreteCase, covered: Covered | undefined) => void;
  readonly write: () => void;
}

/** What one case came by. */
export interface CaseHits {
  readonly green: boolean;
  readonly at: (mutant: Mutant) => number;
  /** Of all mutants on the lines of this one, of all in its file, and of all. */
  readonly near: (mutant: Mutant) => number;
  readonly inFile: (file: string) => number;
  readonly inFolder: (folder: string) => number;
  readonly total: number;
  /** Names of the mutants in files that begin so. */
  readonly passedIn: (place: string) => readonly string[];
}

/** Reads what is known about these files; a file whose text has changed is not known. */
export function readFollowed(root: string, folder: string, mutants: readonly Mutant[]): Followed {
  const files = filesOf(root, folder, mutants);
  const fileOf = new Map(files.map((file) => [file.name, file]));
  const known = readAll(files, mutants.length);
  const keys = new Map<ConcreteCase, string>();
  const keyOf = (one: ConcreteCase): string => {
    const key = keys.get(one) ?? hash('sha256', JSON.stringify({ ...one, at: undefined })).slice(0, 16);
    keys.set(one, key);
    return key;
  };
  const added = new Set<string>();
  return {
    of: (one) => {
      const found = known.get(keyOf(one));
      return found === undefined || found.files < files.length ? undefined : hitsOf(found, files, fileOf);
    },
    keep: (one, covered) => {
      const key = keyOf(one);
      added.add(key);
      known.set(key, {
        green: covered !== undefined,
        files: files.length,
        hits: asHits(covered, files, mutants.length),
      });
    },
    write: () => {
      mkdirSync(folder, { recursive: true });
      for (const file of files) {
        const kept = readKept(file.kept);
        for (const key of added) {
          const { green, hits } = known.get(key) ?? NOTHING;
          kept.set(key, green ? hits.slice(file.start, file.end) : null);
        }
        writeFileSync(file.kept, serialize(kept));
      }
    },
  };
}

/** One file of the reference, and where what is known of its mutants stands among that of all. */
interface MutatedFile {
  readonly name: string;
  readonly kept: string;
  readonly start: number;
  readonly end: number;
  readonly place: ReadonlyMap<string, number>;
  readonly lines: readonly number[];
}

function filesOf(root: string, folder: string, mutants: readonly Mutant[]): readonly MutatedFile[] {
  let end = 0;
  return [...Map.groupBy(mutants, ({ file }) => file)].map(([name, ofFile]) => {
    const start = end;
    end += ofFile.length;
    const text = [name, readFileSync(path.join(root, name), 'utf8'), ofFile.length].join('\n');
    return {
      name,
      kept: path.join(folder, `${hash('sha256', text).slice(0, 24)}.bin`),
      start,
      end,
      place: new Map(ofFile.map(({ id }, index) => [id, start + index])),
      lines: ofFile.map(({ line }) => line),
    };
  });
}

/** Of one case, and of all mutants in one array: one for each file would be millions, and then a run spends its time on collecting garbage. */
interface Known {
  /** How many files say something of it. */
  files: number;
  green: boolean;
  readonly hits: Uint8Array;
}

const NOTHING: Known = { files: 0, green: false, hits: new Uint8Array() };

function readAll(files: readonly MutatedFile[], mutants: number): Map<string, Known> {
  const known = new Map<string, Known>();
  for (const { kept, start } of files) {
    for (const [key, hits] of readKept(kept)) {
      const one = known.get(key) ?? { files: 0, green: true, hits: new Uint8Array(mutants) };
      known.set(key, one);
      one.files += 1;
      if (hits === null) one.green = false;
      else one.hits.set(hits, start);
    }
  }
  return known;
}

function hitsOf(
  { green, hits }: Known,
  files: readonly MutatedFile[],
  fileOf: ReadonlyMap<string, MutatedFile>,
): CaseHits {
  const sums = once(() => new Map(files.map(({ name, start, end }) => [name, sum(hits, start, end)])));
  return {
    green,
    at: ({ file, id }) => {
      const place = fileOf.get(file)?.place.get(id);
      return place === undefined ? 0 : (hits[place] ?? 0);
    },
    near: ({ file, line, lastLine }) => {
      const { start, lines } = fileOf.get(file) ?? { start: 0, lines: [] };
      return lines.reduce(
        (all, at, index) => (at >= line && at <= lastLine ? all + (hits[start + index] ?? 0) : all),
        0,
      );
    },
    inFile: (name) => sums().get(name) ?? 0,
    inFolder: (above) =>
      [...sums()].reduce((all, [name, each]) => (name.startsWith(`${above}/`) ? all + each : all), 0),
    get total() {
      return [...sums().values()].reduce((all, each) => all + each, 0);
    },
    passedIn: (place) =>
      files.flatMap(({ name, start, end }, number) =>
        name.startsWith(place)
          ? [...hits.subarray(start, end)].flatMap((count, index) => (count > 0 ? [`${number} ${index}`] : []))
          : [],
      ),
  };
}

function readKept(file: string): Map<string, Hits> {
  try {
    return deserialize(readFileSync(file)) as Map<string, Hits>;
  } catch {
    return new Map();
  }
}

function asHits(covered: Covered | undefined, files: readonly MutatedFile[], mutants: number): Uint8Array {
  const hits = new Uint8Array(mutants);
  if (covered === undefined) return hits;
  for (const { place } of files) for (const [id, index] of place) hits[index] = Math.min(255, covered.get(id) ?? 0);
  return hits;
}

function sum(hits: Uint8Array, start: number, end: number): number {
  let all = 0;
  for (let index = start; index < end; index += 1) all += hits[index] ?? 0;
  return all;
}
