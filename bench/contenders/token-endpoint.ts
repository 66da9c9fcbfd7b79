// An authorization server that gives every client the same token for an hour: node bench/contenders/token-endpoint.ts PORT
import { createServer } from 'node:http';

const body = Buffer.from(
  JSON.stringify({
    access_token: 'exchanged',
    issued_token_type: 'urn:ietf:params:oauth:token-type:access_token',
    token_type: 'Bearer',
    expires_in: 3600,
  }),
);
createServer((request, response) => {
  request.resume();
  response.writeHead(200, { 'content-type': 'application/json', 'content-length': body.length });
  response.end(body);
}).listen(Number(process.argv[2]), '127.0.0.1', () => {
  console.log('ready');
});
