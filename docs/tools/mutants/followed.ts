import { hash } from 'node:crypto';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { deserialize, serialize } from 'node:v8';
import type { ConcreteCase } from '../../../conformance/runner/case/concrete-case.ts';
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
  const files = [...Map.groupBy(mutants, ({ file }) => file)].map(([name, ofFile]) => {
    const place = new Map(ofFile.map(({ id }, index) => [id, index]));
    const kept = path.join(
      folder,
      `${hash('sha256', [name, readFileSync(path.join(root, name), 'utf8'), ofFile.length].join('\n')).slice(0, 24)}.bin`,
    );
    return { name, kept, place, lines: ofFile.map(({ line }) => line), hits: readKept(kept) };
  });
  const fileOf = new Map(files.map((file) => [file.name, file]));
  const keys = new Map<ConcreteCase, string>();
  const keyOf = (one: ConcreteCase): string => {
    const key = keys.get(one) ?? hash('sha256', JSON.stringify({ ...one, at: undefined })).slice(0, 16);
    keys.set(one, key);
    return key;
  };
  return {
    of: (one) => {
      const key = keyOf(one);
      const found = files.map(({ hits }) => hits.get(key));
      if (found.includes(undefined)) return undefined;
      const sums = new Map(files.map(({ name, hits }) => [name, sum(hits.get(key) ?? null)]));
      return {
        green: !found.includes(null),
        at: ({ file, id }) => {
          const place = fileOf.get(file)?.place.get(id);
          return place === undefined ? 0 : (fileOf.get(file)?.hits.get(key)?.[place] ?? 0);
        },
        near: ({ file, line, lastLine }) => {
          const hits = fileOf.get(file)?.hits.get(key);
          if (hits === undefined || hits === null) return 0;
          return (fileOf.get(file)?.lines ?? []).reduce(
            (all, at, index) => (at >= line && at <= lastLine ? all + (hits[index] ?? 0) : all),
            0,
          );
        },
        inFile: (name) => sums.get(name) ?? 0,
        inFolder: (above) =>
          [...sums].reduce((all, [name, each]) => (name.startsWith(`${above}/`) ? all + each : all), 0),
        total: [...sums.values()].reduce((all, each) => all + each, 0),
        passedIn: (place) =>
          files.flatMap(({ name, hits }, number) =>
            name.startsWith(place)
              ? [...(hits.get(key) ?? [])].flatMap((count, index) => (count > 0 ? [`${number} ${index}`] : []))
              : [],
          ),
      };
    },
    keep: (one, covered) => {
      for (const { hits, place } of files) hits.set(keyOf(one), covered === undefined ? null : asHits(covered, place));
    },
    write: () => {
      mkdirSync(folder, { recursive: true });
      for (const { kept, hits } of files) writeFileSync(kept, serialize(hits));
    },
  };
}

function readKept(file: string): Map<string, Hits> {
  try {
    return deserialize(readFileSync(file)) as Map<string, Hits>;
  } catch {
    return new Map();
  }
}

function asHits(covered: Covered, place: ReadonlyMap<string, number>): Uint8Array {
  const hits = new Uint8Array(place.size);
  for (const [id, index] of place) hits[index] = Math.min(255, covered.get(id) ?? 0);
  return hits;
}

function sum(hits: Hits): number {
  let all = 0;
  for (const each of hits ?? []) all += each;
  return all;
}
