// The gateway of @portkey-ai/gateway, on loopback: node gateway.mjs PORT. Three things about it are put right here, because nothing could be
// asked of it otherwise; none of them touches what it does with a request or an answer.
import { once } from 'node:events';
import { request as httpRequest } from 'node:http';
import { createRequire } from 'node:module';
import { Server } from 'node:net';
import { Readable } from 'node:stream';

const [port] = process.argv.slice(2);
process.env.NODE_ENV = 'production';
process.argv.push(`--port=${port}`, '--headless');
stayOnLoopback();
giveAnswersHeadersOfTheirOwn();
const manifest = createRequire(import.meta.url).resolve('@portkey-ai/gateway/package.json');
await import(new URL('build/start-server.js', `file://${manifest}`).href);

/** It would listen on every address. */
function stayOnLoopback() {
  const listen = Object.getOwnPropertyDescriptor(Server.prototype, 'listen').value;
  Server.prototype.listen = function onLoopback(at, ...rest) {
    return Reflect.apply(listen, this, [at, '127.0.0.1', ...rest.filter((value) => typeof value === 'function')]);
  };
}

/** With the server it comes with it changes headers of what was fetched, which cannot be changed, and answers 500. */
function giveAnswersHeadersOfTheirOwn() {
  const { fetch } = globalThis;
  globalThis.fetch = async (url, init = {}) => {
    const { status, headers, body } = await (isSigned(init) ? fetchSigned(url, init) : fetch(url, init));
    return new Response(body, { status, headers: new Headers(headers) });
  };
}

function isSigned({ headers = {} }) {
  return headers['x-amz-date'] !== undefined;
}

/** It signs requests to cloud A for a host without a port, as those of the cloud are, and `fetch` would tell the port all the same. */
async function fetchSigned(url, { method, headers, body, signal }) {
  const request = httpRequest(url, { method, headers: { ...headers, host: new URL(url).hostname }, signal });
  request.end(body);
  const [answer] = await once(request, 'response');
  return { status: answer.statusCode, headers: answer.headers, body: Readable.toWeb(answer) };
}
