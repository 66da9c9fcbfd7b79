// The bare relay: node:http in, undici dispatch out, and nothing in between. node bench/contenders/relay.ts PORT UPSTREAM
import { createServer } from 'node:http';
import { Pool } from 'undici';

const pool = new Pool(`http://127.0.0.1:${process.argv[3]}`, {
  connections: Number(process.argv[4] ?? 64),
  pipelining: 1,
});
createServer((request, response) => {
  const method = request.method === 'POST' ? 'POST' : 'GET';
  pool.dispatch(
    { path: request.url ?? '/', method, headers: request.rawHeaders, body: method === 'POST' ? request : null },
    {
      onRequestStart: () => {},
      onResponseStart: (_controller, status, headers) => {
        response.writeHead(status, headers as Record<string, string>);
      },
      onResponseData: (_controller, chunk) => {
        response.write(chunk);
      },
      onResponseEnd: () => {
        response.end();
      },
      onResponseError: () => {
        response.destroy();
      },
    },
  );
}).listen(Number(process.argv[2]), '127.0.0.1', () => {
  console.log('ready');
});
