import { parentPort } from 'node:worker_threads';
import { verifiesPassword } from './password-hash.ts';

/*
 * A thread that hashes passwords: hashes for passwords are slow on purpose, and no other request may wait for one.
 * It is asked one question at a time.
 */

/** What the proxy asks. */
export interface Question {
  readonly password: string;
  readonly stored: string;
}

/** What the thread answers. */
export interface Verdict {
  readonly verified: boolean;
}

parentPort?.on('message', ({ password, stored }: Question) => {
  const verdict: Verdict = { verified: verifiesPassword(password, stored) };
  parentPort?.postMessage(verdict, []);
});
