import { parentPort } from 'node:worker_threads';
import { ATTACKS, type Ports } from './attacks.ts';
import type { InPlace } from './backend.ts';
import { gather } from './crowd.ts';
import { standBack } from './stand-back.ts';

/** What is to be done, by its name in ATTACKS. */
export interface Order {
  readonly name: string;
  readonly ports: Ports;
}

// A thread of its own: whoever measures how long a polite client waits does not measure how busy the attacker is.
parentPort?.on('message', (order: Order) => {
  void attackAs(order);
});

standBack();

async function attackAs({ name, ports }: Order): Promise<void> {
  const [, attack] = ATTACKS.find(([known]) => known === name) ?? [];
  await attack?.(gather(), ports);
  const inPlace: InPlace = { port: 0 };
  parentPort?.postMessage(inPlace, []);
}
