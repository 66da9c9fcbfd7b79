import { writeFile } from 'node:fs/promises';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { join } from 'node:path';
import type { HttpFault, HttpPiece, HttpReply, HttpRequest } from '../../../mocks/http-exchange.ts';
import { durationMs } from '../../../mocks/script.ts';
import { pause } from '../../../mocks/write.ts';
import { ImplementationFault } from './session.ts';

/** Stands in for the platform that the implementation runs on: what the clouds offer to whatever runs there. */
export interface Platform {
  /** `127.0.0.1:PORT`; known before the implementation starts, so that its environment can name it. */
  readonly address: string;
  /** A file with the token by which an orchestrator vouches for the program. */
  readonly tokenFile: string;
  readonly stop: () => Promise<void>;
}

/** Starts it on a free port of the loopback address; files go to the folder. */
export async function startPlatform(folder: string): Promise<Platform> {
  const tokenFile = join(folder, 'token-of-the-orchestrator');
  await writeFile(tokenFile, TOKEN);
  const server = await listen('127.0.0.1', 0);
  return { address: `127.0.0.1:${portOf(server)}`, tokenFile, stop: async () => close(server) };
}

/** By address and port: who answers there, and for how many sessions. */
const places = new Map<string, { readonly server: Promise<Server>; sessions: number }>();

/**
 * Starts it where an implementation looks for it that somebody else has started. Sessions of one process share it, since there is only one such
 * place; the last one stops it. Throws ImplementationFault when somebody else listens there.
 */
export async function sharePlatform(address: string, port: number): Promise<Pick<Platform, 'stop'>> {
  const key = `${address}:${port}`;
  const place = places.get(key) ?? { server: listen(address, port), sessions: 0 };
  places.set(key, place);
  place.sessions += 1;
  const stop = async (): Promise<void> => {
    place.sessions -= 1;
    if (place.sessions > 0) return;
    places.delete(key);
    await close(await place.server);
  };
  try {
    await place.server;
  } catch (error) {
    places.delete(key);
    const why = error instanceof Error ? error.message : String(error);
    throw new ImplementationFault(`peers.platform: nothing can be offered at ${key}: ${why}`);
  }
  return { stop };
}

async function listen(address: string, port: number): Promise<Server> {
  const server = createServer((request, response) => void answer(request, response));
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(port, address, resolve);
  });
  return server;
}

/** A JWT in form; who checks it has no reason to be here. */
const TOKEN = ['{"alg":"RS256"}', '{"sub":"system:serviceaccount:default:proxy"}', 'signed']
  .map((part) => Buffer.from(part).toString('base64url'))
  .join('.');

const MARK = { 'metadata-flavor': 'Google' } as const;

async function answer(incoming: IncomingMessage, response: ServerResponse): Promise<void> {
  const request = await read(incoming);
  const reply: HttpReply = (await lend(request)) ?? { status: 404, headers: MARK };
  if (reply.fault !== undefined) return breakOff(incoming.socket, reply.fault);
  const { status = 200, headers, body = '', chunks = [{ text: typeof body === 'string' ? body : '' }] } = reply;
  response.writeHead(status, headers);
  for (const piece of chunks) await send(piece, response, incoming.socket);
  response.end();
}

/** Nobody opens gates of the platform: who waits at one comes late. */
async function send(piece: HttpPiece, response: ServerResponse, socket: Socket): Promise<void> {
  if (typeof piece !== 'object') response.write(piece);
  else if ('text' in piece) response.write(piece.text);
  else if ('gate' in piece) await pause(durationMs(piece.giveUp ?? '0ms'), socket);
}

/** Whatever is not listed is a hang. */
function breakOff(socket: Socket, fault: HttpFault): void {
  if (fault === 'reset') socket.resetAndDestroy();
  if (fault === 'half-close') socket.end();
  if (fault === 'garbage') socket.end('this is no HTTP\r\n\r\n');
}

/** The clouds are loaded by the first request. */
async function lend(request: HttpRequest): Promise<HttpReply | undefined> {
  if (request.target === '/') {
    // How clients find out that this is the platform of cloud C.
    if (request.method === 'GET') return { status: 200, headers: MARK, body: 'computeMetadata/\n' };
  }
  const [{ lendCloudA }, { lendCloudB }, { lendCloudC }] = await Promise.all([
    import('../../../mocks/cloud-a/lending.ts'),
    import('../../../mocks/cloud-b/lending.ts'),
    import('../../../mocks/cloud-c/lending.ts'),
  ]);
  return (await lendCloudA(request)) ?? lendCloudB(request) ?? lendCloudC(request);
}

async function read(incoming: IncomingMessage): Promise<HttpRequest> {
  const { method = 'GET', url: target = '/', rawHeaders } = incoming;
  const chunks: Buffer[] = [];
  for await (const chunk of incoming) if (Buffer.isBuffer(chunk)) chunks.push(chunk);
  const headers = rawHeaders.flatMap((name, index): [string, string][] =>
    index % 2 === 0 ? [[name, rawHeaders[index + 1] ?? '']] : [],
  );
  return { method, target, headers, body: Buffer.concat(chunks) };
}

function portOf(server: Server): number {
  const address = server.address();
  return typeof address === 'object' && address !== null ? address.port : 0;
}

async function close(server: Server): Promise<void> {
  server.closeAllConnections();
  await new Promise<void>((resolve) => server.close(() => resolve()));
}
