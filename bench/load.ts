// A load generator for one address: node bench/load.ts PORT HOST PATH CONNECTIONS MILLISECONDS [MESSAGE]. MESSAGE is JSON:
// {method, headers, body}, a GET without a body when absent; `bodyBytes` instead of a body is one of that many. Prints requests per second.
// It counts bytes instead of parsing: every answer of a contender to the same request has the same length.
import { connect, type Socket } from 'node:net';

const [port = '0', host = 'localhost', path = '/', connections = '32', milliseconds = '1000', message = '{}'] =
  process.argv.slice(2);
const {
  method = 'GET',
  headers = {},
  bodyBytes = 0,
  body = 'x'.repeat(bodyBytes),
} = JSON.parse(message) as {
  method?: string;
  headers?: Record<string, string>;
  bodyBytes?: number;
  body?: string;
};
const fields = { host, 'x-user': 'ann', accept: '*/*', ...headers };
const head = Object.entries(body === '' ? fields : { ...fields, 'content-length': String(body.length) });
const request = Buffer.from(
  `${method} ${path} HTTP/1.1\r\n${head.map(([name, value]) => `${name}: ${value}\r\n`).join('')}\r\n${body}`,
);

const length = await lengthOfOneAnswer();
const lanes = await Promise.all(Array.from({ length: Number(connections) }, async () => open()));
const began = performance.now();
const counts = await Promise.all(lanes.map(async (socket) => drive(socket, began + Number(milliseconds))));
const seconds = (performance.now() - began) / 1000;
console.log(String(counts.reduce((sum, count) => sum + count, 0) / seconds));
for (const socket of lanes) socket.destroy();

async function open(): Promise<Socket> {
  return new Promise((resolve, reject) => {
    const socket = connect(Number(port), '127.0.0.1', () => {
      socket.setNoDelay(true);
      resolve(socket);
    });
    socket.once('error', reject);
  });
}

async function lengthOfOneAnswer(): Promise<number> {
  const socket = await open();
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
      if (!text.startsWith('HTTP/1.1 200')) reject(new Error(`expected 200, got: ${text.slice(0, 80)}`));
      const declared = /content-length: (\d+)/i.exec(text)?.[1];
      const end = declared === undefined ? text.indexOf('\r\n0\r\n\r\n') + 7 : endOfHead + 4 + Number(declared);
      if (end < 7 || text.length < end) return;
      socket.removeAllListeners('close').destroy();
      resolve(end);
    });
  });
}

async function drive(socket: Socket, until: number): Promise<number> {
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
      if (performance.now() < until) socket.write(request);
      else {
        socket.removeAllListeners('close');
        resolve(answers);
      }
    });
    socket.write(request);
  });
}
