import { lstatSync, readFileSync, type Stats, statSync } from 'node:fs';
import type { Resource } from '../../resources/kinds.ts';
import { error, isError, readResourceFile, type ResourceFile } from './resource-file.ts';

/** One file as it was when it was last read. */
export interface WatchedFile {
  readonly path: string;
  /** Of size and times; equal stamps mean that nothing was written, once they are old enough. */
  readonly stamp: string;
  /** Wall clock of that moment, in milliseconds. */
  readonly readAt: number;
  readonly bytes: Uint8Array;
  readonly content: ResourceFile;
  /** The resources of the last content without an error. */
  readonly good: readonly Resource[];
}

const MAX_FILE_BYTES = 10 * 1024 * 1024;

/** A file that shrank to nothing is most likely being rewritten; milliseconds until that is taken at its word. */
const EMPTY_GRACE = 100;

/** Milliseconds within which two writes can leave the same time stamp. */
const STAMP_GRAIN = 1000;

/**
 * Reads the file again if it may have changed. Gives `before` itself when it surely did not, `gone` when there is no such
 * file, and `unsettled` when it should be looked at again in a moment. `now` is the wall clock.
 */
export function readAgain(
  path: string,
  before: WatchedFile | undefined,
  now: number,
): WatchedFile | 'gone' | 'unsettled' {
  const stats = statsOf(path);
  if (typeof stats === 'string') return unreadable(path, stats, before, now);
  if (stats?.isFile() !== true) return 'gone';
  const stamp = stampOf(stats);
  if (before?.stamp === stamp && before.readAt - stats.ctimeMs > STAMP_GRAIN) return before;
  if (hasShrunk(stats, before) && now - stats.ctimeMs < EMPTY_GRACE) return 'unsettled';

  const bytes = bytesOf(path, stats);
  const read = { path, stamp, readAt: now };
  if (typeof bytes === 'string') return { ...unreadable(path, bytes, before, now), stamp };
  if (before !== undefined && isSame(bytes, before.bytes)) return { ...before, stamp, readAt: now };
  return { ...read, bytes, ...contentOf(path, bytes, before) };
}

/** Undefined where there is nothing, and why where there is something that leads nowhere, such as a loop of links. */
function statsOf(path: string): Stats | string | undefined {
  try {
    const stats = statSync(path, { throwIfNoEntry: false });
    if (stats !== undefined) return stats;
    return lstatSync(path, { throwIfNoEntry: false }) === undefined ? undefined : 'the link leads to nothing';
  } catch (cause) {
    return unreadableText(cause);
  }
}

function unreadableText(cause: unknown): string {
  return `the file cannot be read: ${cause instanceof Error ? cause.message : String(cause)}`;
}

/** One problem; what the file held before stays. */
function unreadable(path: string, message: string, before: WatchedFile | undefined, now: number): WatchedFile {
  const content = refusedFile(path, message);
  return { path, stamp: '', readAt: now, bytes: new Uint8Array(), content, good: before?.good ?? [] };
}

/** An empty file is read again: it was empty before for want of time. */
function isSame(bytes: Uint8Array, before: Uint8Array): boolean {
  return bytes.length > 0 && Buffer.compare(bytes, before) === 0;
}

function hasShrunk({ size }: Stats, before: WatchedFile | undefined): boolean {
  return size === 0 && before !== undefined && before.bytes.length > 0;
}

function stampOf(stats: Stats): string {
  return [stats.ino, stats.size, stats.mtimeMs, stats.ctimeMs].join(' ');
}

/** The bytes, or why there are none. */
function bytesOf(path: string, stats: Stats): Uint8Array | string {
  if (stats.size > MAX_FILE_BYTES) return `the file is larger than ${MAX_FILE_BYTES} bytes`;
  try {
    return readFileSync(path);
  } catch (cause) {
    return unreadableText(cause);
  }
}

function contentOf(
  path: string,
  bytes: Uint8Array,
  before: WatchedFile | undefined,
): Pick<WatchedFile, 'content' | 'good'> {
  const text = textOf(bytes);
  if (text === undefined) return { content: refusedFile(path, 'the file is not UTF-8'), good: before?.good ?? [] };
  const content = readResourceFile(path, text, before?.content.documents);
  return {
    content,
    good: content.problems.some(isError) ? (before?.good ?? []) : content.resources.map(({ resource }) => resource),
  };
}

function textOf(bytes: Uint8Array): string | undefined {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch {
    // The decoder's only failure is the answer itself.
    return undefined;
  }
}

function refusedFile(path: string, message: string): ResourceFile {
  return { resources: [], problems: [error(path, { line: 1, column: 1 }, message)], documents: new Map() };
}
