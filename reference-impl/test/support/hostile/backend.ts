import { Buffer } from 'node:buffer';
import { createServer } from 'node:http';
import { parentPort } from 'node:worker_threads';
import { portOf } from '../process.ts';
import { standBack } from './stand-back.ts';

/** What a thread says when all is in place. */
export interface InPlace {
  /** Where it listens, if it does. */
  readonly port: number;
}

standBack();

// A thread of its own: what it has to read of a hostile client's body costs no polite client's time. Nothing of it is kept.
const big = Buffer.alloc(20_000_000, 'x');
const server = createServer((request, response) => {
  request.resume().on('end', () => response.end(request.url === '/big' ? big : 'hello'));
}).listen(0, '127.0.0.1', () => {
  const inPlace: InPlace = { port: portOf(server) };
  parentPort?.postMessage(inPlace, []);
});
