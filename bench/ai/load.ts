// A load of POST requests, documents or streams: node bench/ai/load.ts, a Load as JSON on stdin. Prints a Measured as JSON.
// Bytes are looked at only as far as needed to see where an answer ends: one request is in flight on a connection.
import { connect, type Socket } from 'node:net';
import { text } from 'node:stream/consumers';

export interface Load {
  readonly port: number;
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  /** What each connection says besides. */
  readonly headersOfEach?: readonly Readonly<Record<string, string>>[];
  readonly body: string;
  readonly connections: number;
  /** No request begins later; or, when `requests` is given, each connection sends so many. */
  readonly milliseconds: number;
  readonly requests?: number;
}

export interface Measured {
  /** Answers per second. */
  readonly rate: number;
  /** Milliseconds from the request to the last byte of its answer. */
  readonly p50: number;
  readonly p99: number;
  /** Milliseconds to the first byte of an answer. */
  readonly first: number;
  readonly bytesPerSecond: number;
  /** Answers with another status than 200; they count for nothing else. */
  readonly failed: number;
}

const load = JSON.parse(await text(process.stdin)) as Load;
const fields = { host: 'bench.test', 'content-type': 'application/json', ...load.headers };
const requestOf = (own: Readonly<Record<string, string>> = {}): Buffer => {
  const head = Object.entries({ ...fields, ...own, 'content-length': String(Buffer.byteLength(load.body)) });
  const lines = head.map(([name, value]) => `${name}: ${value}\r\n`).join('');
  return Buffer.from(`POST ${load.path} HTTP/1.1\r\n${lines}\r\n${load.body}`);
};
const END_OF_CHUNKS = Buffer.from('\r\n0\r\n\r\n');

const sockets = await Promise.all(Array.from({ length: load.connections }, async () => open()));
const times: number[] = [];
const firsts: number[] = [];
let failed = 0;
let bytes = 0;
const began = performance.now();
await Promise.all(sockets.map(async (socket, index) => drive(socket, requestOf(load.headersOfEach?.[index]))));
const seconds = (performance.now() - began) / 1000;
for (const socket of sockets) socket.destroy();
const measured: Measured = {
  rate: times.length / seconds,
  p50: percentile(times, 0.5),
  p99: percentile(times, 0.99),
  first: percentile(firsts, 0.5),
  bytesPerSecond: bytes / seconds,
  failed,
};
console.log(JSON.stringify(measured));

async function open(): Promise<Socket> {
  return new Promise((resolve, reject) => {
    const socket = connect(load.port, '127.0.0.1', () => {
      resolve(socket.setNoDelay(true));
    });
    socket.once('error', reject);
  });
}

async function drive(socket: Socket, request: Buffer): Promise<void> {
  let sent = 0;
  let sentAt = 0;
  let firstAt = 0;
  let answer = answerReader();
  const send = (): void => {
    sent += 1;
    sentAt = performance.now();
    socket.write(request);
  };
  return new Promise((resolve, reject) => {
    socket.on('error', reject);
    socket.on('close', () => {
      reject(new Error(`the connection closed after ${sent - 1} answers`));
    });
    socket.on('data', (part: Buffer) => {
      const now = performance.now();
      bytes += part.length;
      if (answer.isNew()) firstAt = now;
      if (!answer.isOverWith(part)) return;
      if (answer.isGood()) {
        firsts.push(firstAt - sentAt);
        times.push(now - sentAt);
      } else failed += 1;
      answer = answerReader();
      const goesOn = load.requests === undefined ? now - began < load.milliseconds : sent < load.requests;
      if (goesOn) {
        send();
        return;
      }
      socket.removeAllListeners('close');
      resolve();
    });
    send();
  });
}

interface AnswerReader {
  readonly isNew: () => boolean;
  /** Takes the next part of the answer. */
  readonly isOverWith: (part: Buffer) => boolean;
  readonly isGood: () => boolean;
}

function answerReader(): AnswerReader {
  let tail: Buffer = Buffer.alloc(0);
  /** Bytes of a body with a length that are still to come; undefined for chunks, and before the end of the head. */
  let left: number | undefined;
  let chunked = false;
  let fresh = true;
  let good = false;
  const readHead = (part: Buffer): boolean => {
    tail = Buffer.concat([tail, part]);
    const end = tail.indexOf('\r\n\r\n');
    if (end < 0) return false;
    const start = tail.toString('latin1', 0, end);
    good = start.startsWith('HTTP/1.1 200');
    const length = /\r\ncontent-length: (\d+)/i.exec(start)?.[1];
    chunked = length === undefined;
    if (length === undefined) return tail.subarray(end).includes(END_OF_CHUNKS);
    left = Number(length) - (tail.length - end - 4);
    return left <= 0;
  };
  return {
    isNew: () => fresh,
    isGood: () => good,
    isOverWith: (part) => {
      fresh = false;
      if (left !== undefined) {
        left -= part.length;
        return left <= 0;
      }
      if (!chunked) return readHead(part);
      const joined = part.length >= END_OF_CHUNKS.length ? part : Buffer.concat([tail, part]);
      tail = joined.subarray(-END_OF_CHUNKS.length);
      return joined.subarray(-END_OF_CHUNKS.length).equals(END_OF_CHUNKS);
    },
  };
}

function percentile(values: readonly number[], share: number): number {
  const sorted = values.toSorted((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? Number.NaN;
}
