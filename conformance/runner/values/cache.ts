import { hash, randomUUID } from 'node:crypto';
import { mkdirSync, readdirSync, readFileSync, renameSync, rmSync, statSync, utimesSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import { once } from './once.ts';
import { packageRoot } from './package-root.ts';
import { wallClock } from './wall-clock.ts';

/** What was worked out by an earlier command, so that the first verdict does not wait for it again. */
export interface Cache {
  /** The value kept under these texts; undefined when there is none. */
  readonly recall: (...texts: readonly string[]) => { readonly value: unknown } | undefined;
  /** Keeps a value under everything it was made from. What JSON cannot say is not kept. */
  readonly keep: (value: unknown, ...texts: readonly string[]) => void;
}

/** How much a cache folder may hold, and for how long. */
export interface CacheBounds {
  readonly folder: string;
  readonly bytes: number;
  readonly ageMs: number;
  /** It is held to them so often at most: looking at thousands of entries takes longer than what most commands have to say. */
  readonly sweepMs: number;
}

const DAY_MS = 86_400_000;
const BOUNDS = { bytes: 32 * 2 ** 20, ageMs: 30 * DAY_MS, sweepMs: DAY_MS / 144 } as const;
/** Its time is that of the last sweep. */
const SWEPT = 'swept';

/**
 * A cache of one kind of value. It is a convenience: what cannot be read, is damaged or was written by something else is as good
 * as unknown, and what cannot be written is left. Several processes may use a folder at the same time, since an entry appears
 * complete or not at all. Entries that nobody used go by age, then by size, the least recently used first.
 */
export function openCache(kind: string, bounds: CacheBounds = { folder: cacheFolder(), ...BOUNDS }): Cache {
  const fileOf = (texts: readonly string[]): string =>
    path.join(bounds.folder, `${kind}-${fingerprint([process.version, ...texts])}.json`);
  const sweepOnce = once(() => attempt(() => sweep(bounds)));
  return {
    recall: (...texts) => attempt(() => readEntry(fileOf(texts))),
    keep: (value, ...texts) => {
      attempt(() => {
        const text = JSON.stringify(value);
        if (!isDeepStrictEqual(JSON.parse(text), value)) return;
        mkdirSync(bounds.folder, { recursive: true });
        replaceFile(fileOf(texts), `${fingerprint([text])}\n${text}`);
      });
      sweepOnce();
    },
  };
}

/** A short name for texts: equal for equal lists only. */
export function fingerprint(texts: readonly string[]): string {
  return hash('sha256', JSON.stringify(texts)).slice(0, 32);
}

function cacheFolder(): string {
  return path.join(packageRoot(), 'node_modules', '.cache', 'proxy-conformance');
}

/** The first line is the sum of the rest: half an entry, or one of another program, is none. Throws when there is no such file. */
function readEntry(file: string): { readonly value: unknown } | undefined {
  const content = readFileSync(file, 'utf8');
  const end = content.indexOf('\n');
  const text = content.slice(end + 1);
  if (end < 0 || content.slice(0, end) !== fingerprint([text])) return undefined;
  markUsed(file);
  const value: unknown = JSON.parse(text);
  return { value };
}

// Once a day is often enough to tell the used from the forgotten.
function markUsed(file: string): void {
  const now = wallClock();
  attempt(() => {
    if (now - statSync(file).mtimeMs > DAY_MS) utimesSync(file, now / 1000, now / 1000);
  });
}

function replaceFile(file: string, text: string): void {
  const draft = `${file}.${randomUUID()}.draft`;
  try {
    writeFileSync(draft, text);
    renameSync(draft, file);
  } catch (error) {
    rmSync(draft, { force: true });
    throw error;
  }
}

function sweep({ folder, bytes, ageMs, sweepMs }: CacheBounds): void {
  const now = wallClock();
  const swept = path.join(folder, SWEPT);
  // A look in the future was taken before the clock was set back.
  if (Math.abs(now - (statSync(swept, { throwIfNoEntry: false })?.mtimeMs ?? 0)) < sweepMs) return;
  writeFileSync(swept, '');
  const entries = readdirSync(folder).flatMap((name) => {
    const stats = name === SWEPT ? undefined : attempt(() => statSync(path.join(folder, name)));
    return stats === undefined ? [] : [{ name, bytes: stats.size, usedMs: stats.mtimeMs }];
  });
  let sum = 0;
  for (const entry of entries.toSorted((one, other) => other.usedMs - one.usedMs)) {
    sum += entry.bytes;
    // A draft that is an hour old was left by a process that ended in the middle of it.
    const limitMs = entry.name.endsWith('.draft') ? DAY_MS / 24 : ageMs;
    if (sum > bytes || now - entry.usedMs > limitMs) attempt(() => rmSync(path.join(folder, entry.name)));
  }
}

function attempt<Result>(task: () => Result): Result | undefined {
  try {
    return task();
  } catch {
    return undefined;
  }
}
