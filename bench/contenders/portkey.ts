// The gateway of @portkey-ai/gateway, on loopback: node bench/contenders/portkey.ts PORT. It learns of its upstream by a header of
// the request.
import { createRequire } from 'node:module';
import { Server } from 'node:net';

const [port = '0'] = process.argv.slice(2);
process.env['NODE_ENV'] = 'production';
process.argv.push(`--port=${port}`, '--headless');
stayOnLoopback();
giveStreamsHeadersOfTheirOwn();
const manifest = createRequire(import.meta.url).resolve('@portkey-ai/gateway/package.json');
await import(new URL('build/start-server.js', `file://${manifest}`).href);

/** It would listen on every address. */
function stayOnLoopback(): void {
  const listen = Object.getOwnPropertyDescriptor(Server.prototype, 'listen')?.value as (...given: unknown[]) => unknown;
  Object.defineProperty(Server.prototype, 'listen', {
    value(this: Server, at: unknown, ...rest: readonly unknown[]) {
      const listening = rest.find((value) => typeof value === 'function');
      return Reflect.apply(listen, this, [at, '127.0.0.1', ...(listening === undefined ? [] : [listening])]);
    },
  });
}

/** With the server it comes with, it changes headers of a fetched stream, which cannot be changed, and answers 500. */
function giveStreamsHeadersOfTheirOwn(): void {
  const { fetch, Response } = globalThis;
  globalThis.fetch = async (...given) => {
    const fetched = await fetch(...given);
    if (fetched.headers.get('content-type') !== 'text/event-stream') return fetched;
    return new Response(fetched.body, { status: fetched.status, headers: new Headers(fetched.headers) });
  };
}
