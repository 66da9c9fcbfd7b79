import { readFileSync } from 'node:fs';

/** The text of a file that a user names, or why there is none. */
export type UserFile = { readonly text: string } | { readonly problem: string };

/** Reads a file as text. Never throws: a problem begins with the name of the file. */
export function readUserFile(file: string): UserFile {
  try {
    return { text: readFileSync(file, 'utf8') };
  } catch (error) {
    return { problem: `${file}: ${unreadable(error)}` };
  }
}

/** In words why a file cannot be read or written; the code of the system stands behind it. */
export function unreadable(error: unknown, wanted: 'read' | 'written' = 'read'): string {
  const code = error instanceof Error && 'code' in error ? String(error.code) : String(error);
  const words = code === 'ENOENT' && wanted === 'written' ? 'the folder for it is not there' : WORDS[code];
  return `${words ?? `cannot be ${wanted}`} (${code})`;
}

const WORDS: Readonly<Record<string, string>> = {
  ENOENT: 'there is no such file',
  EISDIR: 'is a folder, and a file is wanted',
  ENOTDIR: 'something on the way to it is a file and no folder',
  EACCES: 'this user has no permission for it',
  EROFS: 'lies on a file system that cannot be written to',
  ENOSPC: 'the disk is full',
};
