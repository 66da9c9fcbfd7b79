// What every contender relays to: node bench/contenders/upstream.ts PORT
import { createServer } from 'node:http';

const body = Buffer.from(JSON.stringify({ answer: 'x'.repeat(900) }));
createServer((request, response) => {
  request.resume();
  response.writeHead(200, { 'content-type': 'application/json', 'content-length': body.length });
  response.end(body);
}).listen(Number(process.argv[2]), '127.0.0.1', () => {
  console.log('ready');
});
