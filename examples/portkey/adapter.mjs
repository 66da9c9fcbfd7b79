// Adapter of the conformance suite for the gateway of @portkey-ai/gateway. It starts the gateway and puts a front before it, which finds out
// what a request is for and hands it on with the configuration for it in a header. So a change is in force as soon as the table is.
import { spawn } from 'node:child_process';
import path from 'node:path';
import { createInterface } from 'node:readline';
import { startFront } from './front.mjs';
import { Refused } from './refused.mjs';
import { readRoutes } from './routes.mjs';

const GATEWAY = path.join(import.meta.dirname, 'gateway.mjs');
const handlers = { hello, start, apply, stop };
let gateway;
let front;

function hello() {
  return { protocol: 1, implementation: { name: 'portkey', language: 'typescript' }, ops: [] };
}

/** The port that the suite keeps free for an admin endpoint is that of the gateway itself. */
async function start({ ports }) {
  gateway = spawn(process.execPath, [GATEWAY, String(ports.admin)], { stdio: ['ignore', 'pipe', 'inherit'] });
  for await (const line of createInterface({ input: gateway.stdout }))
    if (line.includes('Ready for connections')) break;
  gateway.stdout.resume();
  front = await startFront(ports.data, ports.admin);
  return gateway.exitCode === null ? { ok: true } : { error: { message: 'the gateway ended' } };
}

function apply({ resources }) {
  if (front === undefined) return { error: { message: 'start comes before apply' } };
  front.routes = readRoutes(resources);
  return { ok: true };
}

function stop() {
  gateway?.kill();
  front?.close();
  return { ok: true };
}

async function answer(message) {
  const handler = handlers[message.cmd];
  if (handler === undefined) return { unsupported: `cmd ${message.cmd}` };
  try {
    return await handler(message);
  } catch (error) {
    if (error instanceof Refused) return { rejected: [error.violation] };
    return { error: { message: String(error) } };
  }
}

for await (const line of createInterface({ input: process.stdin })) {
  const message = JSON.parse(line);
  process.stdout.write(`${JSON.stringify({ seq: message.seq, ...(await answer(message)) })}\n`);
}
stop(); // the suite is gone; so is the gateway
