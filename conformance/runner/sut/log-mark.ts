import { closeSync, openSync, readSync, statSync } from 'node:fs';

/** The output of the programs of an implementation, over restarts. */
export interface Output {
  /** The last lines. */
  readonly logs: () => readonly string[];
  /** Number of lines so far. */
  readonly logged: () => number;
}

/** Nothing was started here, so nothing is printed. */
export const SILENT: Output = { logs: () => [], logged: () => 0 };

const KEPT_BYTES = 64 * 1024;

/** `markLogs` of a session: lines of the log file since the mark if the manifest names one, else of the output. */
export function createLogMark(output: Output, file: string | undefined): () => () => readonly string[] {
  if (file !== undefined) return () => markFile(file);
  return () => {
    const before = output.logged();
    return () => lastOf(output.logs(), output.logged() - before);
  };
}

function lastOf(lines: readonly string[], count: number): readonly string[] {
  return count <= 0 ? [] : lines.slice(-count);
}

function markFile(file: string): () => readonly string[] {
  const before = sizeOf(file);
  return () => {
    const now = sizeOf(file);
    // A file that has become shorter was begun anew.
    const from = Math.max(now < before ? 0 : before, now - KEPT_BYTES);
    return readLines(file, from, now);
  };
}

function sizeOf(file: string): number {
  return statSync(file, { throwIfNoEntry: false })?.size ?? 0;
}

function readLines(file: string, from: number, to: number): readonly string[] {
  if (to <= from) return [];
  const bytes = Buffer.alloc(to - from);
  try {
    const handle = openSync(file, 'r');
    const read = readSync(handle, bytes, 0, bytes.length, from);
    closeSync(handle);
    return bytes
      .subarray(0, read)
      .toString('utf8')
      .split('\n')
      .filter((line) => line !== '');
  } catch (error) {
    return [`(${file} cannot be read: ${error instanceof Error ? error.message : String(error)})`];
  }
}
