// node bench/contenders/fastify-http-proxy.ts PORT UPSTREAM
import proxy from '@fastify/http-proxy';
import { fastify } from 'fastify';

const server = fastify();
await server.register(proxy, {
  upstream: `http://127.0.0.1:${process.argv[3]}`,
  undici: { connections: 64, pipelining: 1 },
});
await server.listen({ port: Number(process.argv[2]), host: '127.0.0.1' });
console.log('ready');
