import type { Gates } from '../gates.ts';
import { giveUpMs } from '../script.ts';
import type { GrpcCall } from './serve.ts';

/** What a reply says about waiting. */
interface Waiting {
  readonly gate?: string | undefined;
  readonly giveUp?: string | undefined;
}

/** Waits until the gate opens, the wait is given up or the stream is over; at once without a gate. */
export async function waitAtGate({ gate, giveUp }: Waiting, call: GrpcCall, gates: Gates): Promise<void> {
  if (gate !== undefined) await Promise.race([gates.wait(gate, giveUpMs(giveUp)), call.over()]);
}
