// node bench/contenders/http-proxy-3.ts PORT UPSTREAM
import { Agent, createServer } from 'node:http';
import { createProxyServer } from 'http-proxy-3';

const agent = new Agent({ keepAlive: true, maxSockets: 64 });
const proxy = createProxyServer({ target: `http://127.0.0.1:${process.argv[3]}`, agent });
createServer((request, response) => {
  proxy.web(request, response);
}).listen(Number(process.argv[2]), '127.0.0.1', () => {
  console.log('ready');
});
