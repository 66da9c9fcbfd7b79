// What lies behind the contenders: node bench/wire/upstream.ts PORT. `/big?MEGABYTES` streams that many, anything else is short.
import { createServer, type ServerResponse } from 'node:http';

const MEGABYTE = 1024 * 1024;
const chunk = Buffer.alloc(64 * 1024, 'x');
const short = Buffer.from(JSON.stringify({ answer: 'x'.repeat(900) }));

createServer((request, response) => {
  request.resume();
  const [path, megabytes] = (request.url ?? '/').split('?', 2);
  if (path === '/big') stream(response, Number(megabytes) * MEGABYTE);
  else response.writeHead(200, { 'content-type': 'application/json', 'content-length': short.length }).end(short);
}).listen(Number(process.argv[2]), '127.0.0.1', () => {
  console.log('ready');
});

function stream(response: ServerResponse, bytes: number): void {
  response.writeHead(200, { 'content-type': 'application/octet-stream', 'content-length': bytes });
  let left = bytes;
  const go = (): void => {
    while (left > 0 && !response.destroyed) {
      left -= chunk.length;
      if (!response.write(chunk)) return void response.once('drain', go);
    }
    response.end();
  };
  go();
}
