// Requests over connections that are kept, one in flight on each. Bytes are counted instead of parsed: every answer to the same request has
// the same length.
import { connect, type Socket } from 'node:net';

/** What is asked, and for how long. */
export interface Load {
  readonly port: number;
  readonly host: string;
  readonly path: string;
  readonly connections: number;
  /** No request begins later; without it `requests` are sent altogether. */
  readonly milliseconds?: number;
  readonly requests?: number;
  readonly message?: Message;
}

/** A GET without a body when nothing is said; `bodyBytes` instead of a body is one of that many. */
export interface Message {
  readonly method?: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly bodyBytes?: number;
  readonly body?: string;
}

export interface Driven {
  readonly answers: number;
  readonly seconds: number;
}

/** Rejects when an answer is not 200, or a connection ends before its time. */
export async function drive(load: Load): Promise<Driven> {
  const { port, host, path, connections, milliseconds = Infinity, requests = Infinity, message = {} } = load;
  const request = requestOf(host, path, message);
  const length = await lengthOfOneAnswer(port, request);
  const lanes = await Promise.all(Array.from({ length: connections }, async () => open(port)));
  const began = performance.now();
  let left = requests;
  const goesOn = (): boolean => (left -= 1) >= 0 && performance.now() < began + milliseconds;
  const counts = await Promise.all(lanes.map(async (socket) => driveOne(socket, { request, length, goesOn })));
  const seconds = (performance.now() - began) / 1000;
  for (const socket of lanes) socket.destroy();
  return { answers: counts.reduce((sum, count) => sum + count, 0), seconds };
}

function requestOf(host: string, path: string, message: Message): Buffer {
  const { method = 'GET', headers = {}, bodyBytes = 0, body = 'x'.repeat(bodyBytes) } = message;
  const fields = { host, 'x-user': 'ann', accept: '*/*', ...headers };
  const head = Object.entries(body === '' ? fields : { ...fields, 'content-length': String(body.length) });
  return Buffer.from(
    `${method} ${path} HTTP/1.1\r\n${head.map(([name, value]) => `${name}: ${value}\r\n`).join('')}\r\n${body}`,
  );
}

async function open(port: number): Promise<Socket> {
  return new Promise((resolve, reject) => {
    const socket = connect(port, '127.0.0.1', () => {
      socket.setNoDelay(true);
      resolve(socket);
    });
    socket.once('error', reject);
  });
}

async function lengthOfOneAnswer(port: number, request: Buffer): Promise<number> {
  const socket = await open(port);
  socket.write(request);
  let text = '';
  return new Promise((resolve, reject) => {
    socket.on('error', reject);
    socket.on('close', () => {
      reject(new Error(`the connection closed after: ${text}`));
    });
    socket.on('data', (chunk: Buffer) => {
      text += chunk.toString('latin1');
      const endOfHead = text.indexOf('\r\n\r\n');
      if (endOfHead < 0) return;
      if (!text.startsWith('HTTP/1.1 200')) {
        socket.removeAllListeners('close').destroy();
        reject(new Error(`expected 200, got: ${text.slice(0, 80)}`));
        return;
      }
      const declared = /content-length: (\d+)/i.exec(text)?.[1];
      const end = declared === undefined ? text.indexOf('\r\n0\r\n\r\n') + 7 : endOfHead + 4 + Number(declared);
      if (end < 7 || text.length < end) return;
      socket.removeAllListeners('close').destroy();
      resolve(end);
    });
  });
}

interface Lane {
  readonly request: Buffer;
  /** Of every answer. */
  readonly length: number;
  /** Whether one more request is to be sent. */
  readonly goesOn: () => boolean;
}

async function driveOne(socket: Socket, { request, length, goesOn }: Lane): Promise<number> {
  let answers = 0;
  let bytes = 0;
  return new Promise((resolve, reject) => {
    socket.on('error', reject);
    socket.on('close', () => {
      reject(new Error(`a connection closed after ${answers} answers`));
    });
    socket.on('data', (chunk: Buffer) => {
      bytes += chunk.length;
      if (bytes < length) return;
      bytes -= length;
      answers += 1;
      if (goesOn()) socket.write(request);
      else {
        socket.removeAllListeners('close');
        resolve(answers);
      }
    });
    if (goesOn()) socket.write(request);
    else resolve(0);
  });
}
