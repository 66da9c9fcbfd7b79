import { createGates, type Gates } from '../../../mocks/gates.ts';
import { afterFair } from '../sut/time/fair-time.ts';

/** Gates at which everybody waits for so many milliseconds, whatever the script of a peer says. */
export function patientGates(patienceMs: number): Gates {
  return createGates((_, callback) => afterFair(patienceMs, callback));
}
