import { closeSync, openSync, readdirSync, readSync, statSync } from 'node:fs';
import { join } from 'node:path';
import type { Readable } from 'node:stream';

/** The text of one input, or why there is none. */
export type Input =
  | { readonly file: string; readonly text: string }
  | { readonly file: string; readonly unreadable: string; readonly line?: number };

/** Bytes of one input; longer ones are not read to their end. */
const MAX_INPUT = 10 * 1024 * 1024;

const FILE_NAME = /\.(yaml|yml|json)$/;

/** Every input of a path: the standard input for `-`, one file, or the resource files below a folder, in order of name. */
export async function* inputsOf(path: string, standardInput: Readable): AsyncGenerator<Input> {
  if (path === '-') {
    yield await inputFrom(standardInput);
    return;
  }
  const found = entriesOf(path);
  if (found.length === 0) yield { file: path, unreadable: 'the folder has no *.yaml, *.yml or *.json file' };
  // One at a time, so that a folder of any size takes the memory of one file.
  for (const entry of found) yield typeof entry === 'string' ? inputOf(entry) : entry;
}

/** A file by its path, or what cannot be read and why; that never keeps the others from being read. */
type Entry = string | Extract<Input, { readonly unreadable: string }>;

function entriesOf(path: string): readonly Entry[] {
  try {
    return statSync(path).isDirectory() ? entriesBelow(path, new Set()) : [path];
  } catch (error) {
    return [{ file: path, unreadable: messageOf(error) }];
  }
}

/** `known` has the folders on the way here: a link may lead back to one. */
function entriesBelow(folder: string, known: ReadonlySet<string>): readonly Entry[] {
  try {
    const { dev, ino } = statSync(folder);
    const identity = `${dev} ${ino}`;
    if (known.has(identity)) return [{ file: folder, unreadable: 'the link leads back to a folder above it' }];
    const names = readdirSync(folder).toSorted();
    return names.flatMap((name) => entriesAt(join(folder, name), new Set([...known, identity])));
  } catch (error) {
    return [{ file: folder, unreadable: messageOf(error) }];
  }
}

function entriesAt(path: string, known: ReadonlySet<string>): readonly Entry[] {
  try {
    const stats = statSync(path);
    if (stats.isDirectory()) return entriesBelow(path, known);
    return stats.isFile() && FILE_NAME.test(path) ? [path] : [];
  } catch (error) {
    // What is no resource file by its name is nobody's concern.
    return FILE_NAME.test(path) ? [{ file: path, unreadable: messageOf(error) }] : [];
  }
}

function inputOf(file: string): Input {
  try {
    return decodeInput(file, readAtMost(file, MAX_INPUT + 1));
  } catch (error) {
    return { file, unreadable: messageOf(error) };
  }
}

/** Reads a prefix, so that a file that grows or has no end does no harm. */
function readAtMost(file: string, limit: number): Uint8Array {
  const bytes = new Uint8Array(Math.min(limit, statSync(file).size + 1));
  const descriptor = openSync(file, 'r');
  try {
    let length = 0;
    for (let read = -1; read !== 0 && length < bytes.length; length += read)
      read = readSync(descriptor, bytes, length, bytes.length - length, null);
    return bytes.subarray(0, length);
  } finally {
    closeSync(descriptor);
  }
}

async function inputFrom(stream: Readable): Promise<Input> {
  const chunks: Buffer[] = [];
  let length = 0;
  for await (const chunk of stream) {
    const bytes = Buffer.from(chunk);
    chunks.push(bytes);
    length += bytes.length;
    if (length > MAX_INPUT) break;
  }
  return decodeInput('-', Buffer.concat(chunks));
}

function decodeInput(file: string, bytes: Uint8Array): Input {
  if (bytes.length > MAX_INPUT) return { file, unreadable: `the input is longer than ${MAX_INPUT} bytes` };
  try {
    return { file, text: new TextDecoder('utf-8', { fatal: true }).decode(bytes) };
  } catch {
    // The decoder's only failure is the answer itself; where it is, is worth a second look.
    return { file, unreadable: 'the input is not UTF-8', line: lineOfBadByte(bytes) };
  }
}

/** The first line that does not decode by itself; a line feed is never part of another character. */
function lineOfBadByte(bytes: Uint8Array): number {
  let line = 1;
  for (let start = 0; start <= bytes.length; line += 1) {
    const feed = bytes.indexOf(0x0a, start);
    const end = feed < 0 ? bytes.length : feed;
    const text = new TextDecoder('utf-8').decode(bytes.subarray(start, end));
    // A replacement character that was written as such decodes strictly too.
    if (text.includes('\uFFFD') && !isUtf8(bytes.subarray(start, end))) return line;
    start = end + 1;
  }
  return 1;
}

function isUtf8(bytes: Uint8Array): boolean {
  return Buffer.compare(Buffer.from(new TextDecoder('utf-8', { ignoreBOM: true }).decode(bytes)), bytes) === 0;
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
