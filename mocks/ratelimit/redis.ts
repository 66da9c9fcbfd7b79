import { Buffer } from 'node:buffer';
import { connect } from 'node:net';
import type { Socket } from 'node:net';
import type { Counters } from './counters.ts';

/** Begins the time of a counter that is not there, adds to it, and says how long it lasts: nothing can come between. */
const ADD = `redis.call('SET', KEYS[1], 0, 'PX', ARGV[2], 'NX')
return { redis.call('INCRBY', KEYS[1], ARGV[1]), redis.call('PTTL', KEYS[1]) }`;

/** Counters in the Redis at `redis://host:port`, shared by everyone who counts there. Rejects when it is not there. */
export async function redisCounters(url: string): Promise<Counters> {
  const { hostname, port } = new URL(url);
  const socket = connect({ host: hostname, port: port === '' ? 6379 : Number(port) });
  await new Promise<void>((resolve, reject) => socket.once('connect', resolve).once('error', reject));
  const ask = conversation(socket);
  return {
    add: async (key, hits, windowMs) => {
      const reply = await ask(['EVAL', ADD, '1', key, String(hits), String(Math.ceil(windowMs))]);
      const [count, resetIn] = isList(reply) ? reply : [];
      if (typeof count !== 'number' || typeof resetIn !== 'number') throw new Error(`Redis says ${String(reply)}`);
      return { count, resetIn };
    },
    close: () => socket.destroy(),
  };
}

type Reply = number | string | null | Error | readonly Reply[];

function isList(reply: Reply): reply is readonly Reply[] {
  return Array.isArray(reply);
}

interface Waiting {
  readonly resolve: (reply: Reply) => void;
  readonly reject: (reason: Error) => void;
}

/** One command at a time in each direction: replies come in the order of the commands. */
function conversation(socket: Socket): (command: readonly string[]) => Promise<Reply> {
  const waiting: Waiting[] = [];
  let arrived = Buffer.alloc(0);
  socket.on('data', (chunk) => {
    arrived = Buffer.concat([arrived, chunk]);
    for (let parsed = parse(arrived, 0); parsed !== undefined; parsed = parse(arrived, 0)) {
      arrived = arrived.subarray(parsed.end);
      const { reply } = parsed;
      if (reply instanceof Error) waiting.shift()?.reject(reply);
      else waiting.shift()?.resolve(reply);
    }
  });
  const rejectAll = (error?: Error): void => {
    for (const { reject } of waiting.splice(0)) reject(error ?? new Error('Redis closed the connection'));
  };
  socket.on('error', rejectAll);
  socket.on('close', () => rejectAll());
  return (command) =>
    new Promise((resolve, reject) => {
      if (socket.destroyed) return reject(new Error('Redis closed the connection'));
      waiting.push({ resolve, reject });
      socket.write(encode(command));
    });
}

function encode(command: readonly string[]): string {
  return `*${command.length}\r\n${command.map((word) => `$${Buffer.byteLength(word)}\r\n${word}\r\n`).join('')}`;
}

/** The reply that begins at `at`, and where it ends; undefined while it is not all there. */
export function parse(bytes: Buffer, at: number): { readonly reply: Reply; readonly end: number } | undefined {
  const lineEnd = bytes.indexOf('\r\n', at);
  if (lineEnd < 0) return undefined;
  const text = bytes.toString('utf8', at + 1, lineEnd);
  const end = lineEnd + 2;
  switch (bytes.toString('latin1', at, at + 1)) {
    case '+':
      return { reply: text, end };
    case '-':
      return { reply: new Error(`Redis: ${text}`), end };
    case ':':
      return { reply: Number(text), end };
    case '$':
      return parseText(bytes, Number(text), end);
    case '*':
      return parseList(bytes, Number(text), end);
    default:
      return notRedis(bytes);
  }
}

function notRedis(bytes: Buffer): NonNullable<ReturnType<typeof parse>> {
  return { reply: new Error('this is no Redis'), end: bytes.length };
}

function parseText(bytes: Buffer, length: number, at: number): ReturnType<typeof parse> {
  if (length === -1) return { reply: null, end: at };
  if (!(length >= 0)) return notRedis(bytes);
  const end = at + length + 2;
  return bytes.length < end ? undefined : { reply: bytes.toString('utf8', at, at + length), end };
}

function parseList(bytes: Buffer, length: number, at: number): ReturnType<typeof parse> {
  if (!(length >= 0)) return notRedis(bytes);
  const items: Reply[] = [];
  let end = at;
  for (let index = 0; index < length; index += 1) {
    const item = parse(bytes, end);
    if (item === undefined) return undefined;
    items.push(item.reply);
    end = item.end;
  }
  return { reply: items, end };
}
