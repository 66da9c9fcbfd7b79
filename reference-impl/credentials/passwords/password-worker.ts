import { parentPort } from 'node:worker_threads';
import { verifiesPassword } from './password-hash.ts';

/*
 * The thread that hashes passwords: hashes for passwords are slow on purpose, and no other request may wait for one.
 * It answers each question in the order of arrival, with its number.
 */

/** What the proxy asks. */
export interface Question {
  readonly id: number;
  readonly password: string;
  readonly stored: string;
}

/** What the thread answers. */
export interface Verdict {
  readonly id: number;
  readonly verified: boolean;
}

parentPort?.on('message', ({ id, password, stored }: Question) => {
  const verdict: Verdict = { id, verified: verifiesPassword(password, stored) };
  parentPort?.postMessage(verdict, []);
});
