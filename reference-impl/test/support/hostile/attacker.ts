import { constants, setPriority } from 'node:os';
import { parentPort } from 'node:worker_threads';
import { ATTACKS, type Ports } from './attacks.ts';
import type { InPlace } from './backend.ts';
import { gather } from './crowd.ts';

/** What is to be done, by its name in ATTACKS. */
export interface Order {
  readonly name: string;
  readonly ports: Ports;
}

// A thread of its own: whoever measures how long a polite client waits does not measure how busy the attacker is.
parentPort?.on('message', (order: Order) => {
  void attackAs(order);
});

// Where it is told how long others wait, the attacker has what they leave of the CPU, as if it were on another machine. Of Linux: this thread alone.
if (process.env['POLITE_REQUESTS'] !== undefined) setPriority(constants.priority.PRIORITY_LOW);

async function attackAs({ name, ports }: Order): Promise<void> {
  const [, attack] = ATTACKS.find(([known]) => known === name) ?? [];
  await attack?.(gather(), ports);
  const inPlace: InPlace = { port: 0 };
  parentPort?.postMessage(inPlace, []);
}
