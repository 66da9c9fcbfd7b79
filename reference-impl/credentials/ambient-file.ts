import { readFile } from 'node:fs/promises';
import { refuseToSend } from './refuse-to-send.ts';

/** The text of a file that the environment of the process names. Rejects with backendAuthenticationFailed when it cannot be read. */
export async function readAmbientFile(path: string): Promise<string> {
  try {
    return (await readFile(path, 'utf8')).trim();
  } catch {
    return refuseToSend(`${path}, which the environment names, cannot be read`);
  }
}
