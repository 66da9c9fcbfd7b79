import { connect } from 'node:net';
import type { Socket } from 'node:net';
import { Worker } from 'node:worker_threads';
import type { Bound, Where } from '../../listen.ts';

/** Runs in a thread of its own: listens with the shortest queue there is, says where, and never comes back to accept anybody. */
const LISTENER = `
const { createServer } = require('node:net');
const { parentPort, workerData } = require('node:worker_threads');
const server = createServer();
server.listen({ ...workerData, backlog: 1 }, () => {
  parentPort.postMessage(server.address().port);
  setImmediate(() => Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0));
});
server.on('error', (error) => { throw error; });
`;

/** Connections that fill the queue; the kernel takes one more than its length, and drops who comes behind them without a word. */
const QUEUE = 4;

/**
 * A port where no connection is ever made: who dials it hears nothing, neither yes nor no, as behind a firewall that swallows packets.
 * Rejects when the port cannot be bound.
 */
export async function swallow({ host, port = 0 }: Where): Promise<Bound> {
  const worker = new Worker(LISTENER, { eval: true, workerData: { host, port } });
  const bound = await new Promise<number>((resolve, reject) => {
    worker.once('message', resolve).once('error', reject);
  });
  const waiting: Socket[] = [];
  for (let index = 0; index < QUEUE; index += 1) {
    waiting.push(connect({ host, port: bound }).on('error', ignore));
  }
  await new Promise((resolve) => waiting[0]?.once('connect', resolve).once('error', resolve));
  return {
    host,
    port: bound,
    close: async () => {
      for (const socket of waiting) socket.destroy();
      await worker.terminate();
    },
  };
}

// Those that find no place in the queue give up at some time.
function ignore(): void {}
