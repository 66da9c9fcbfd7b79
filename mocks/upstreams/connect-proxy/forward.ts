import { request as ask, type IncomingMessage, type ServerResponse } from 'node:http';
import { connect, type Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import { toPairs } from '../../values-by-name.ts';

/** Where a request with a whole URL as its target goes (RFC 9112, 3.2.2): the server, and what that one is asked for. */
export interface Onward {
  readonly host: string;
  readonly port: number;
  readonly target: string;
}

/** Between the client and the proxy server alone (RFC 9110, 7.6.1 and 11.7.2). */
const OF_ONE_HOP = new Set(['connection', 'keep-alive', 'proxy-connection', 'proxy-authorization']);

/** Undefined where the target is no URL, which is what only an origin server is asked for. */
export function partsOf(target: string): { readonly authority: string; readonly target: string } | undefined {
  const [, authority = '', rest = ''] = /^http:\/\/([^/?#]+)(.*)$/i.exec(target) ?? [];
  if (authority === '') return undefined;
  return {
    authority: authority.includes(':') ? authority : `${authority}:80`,
    target: rest.startsWith('/') ? rest : `/${rest}`,
  };
}

/** Sends the request on, and the answer back with its trailers. Resolves when that is done or can no longer be; never rejects. */
export async function forward(
  request: IncomingMessage,
  response: ServerResponse,
  { host, port, target }: Onward,
): Promise<void> {
  await new Promise<void>((done) => {
    const headers = kept(request.rawHeaders);
    const call = ask({ host, port, method: request.method, path: target, headers, agent: false }, (answer) => {
      response.writeHead(answer.statusCode ?? 502, kept(answer.rawHeaders));
      answer.pipe(response, { end: false });
      answer.once('end', () => {
        response.addTrailers(trailersOf(answer));
        response.end();
      });
      answer.once('error', () => response.destroy());
    });
    call.once('error', () => {
      if (response.headersSent) response.destroy();
      else response.writeHead(502, { 'content-length': 0 }).end();
    });
    response.once('close', () => {
      call.destroy();
      done();
    });
    request.pipe(call, { end: false });
    request.once('end', () => {
      call.addTrailers(trailersOf(request));
      call.end();
    });
  });
}

/** A request that asks for another protocol: its head goes on as it came, and then every byte both ways. */
export function forwardUpgrade(
  request: IncomingMessage,
  client: Duplex,
  head: Buffer,
  { host, port, target }: Onward,
): Socket {
  const far = connect({ host, port });
  const end = (): void => {
    client.destroy();
    far.destroy();
  };
  client.on('error', end).once('close', end);
  far.on('error', end).once('close', end);
  far.once('connect', () => {
    const lines = toPairs(request.rawHeaders).map(([name, value]) => `${name}: ${value}\r\n`);
    far.write(`${request.method ?? ''} ${target} HTTP/1.1\r\n${lines.join('')}\r\n`);
    far.write(head);
    client.pipe(far).pipe(client);
  });
  return far;
}

/** Name and value in turns, as `node:http` takes them. */
function kept(raw: readonly string[]): string[] {
  return toPairs(raw)
    .filter(([name]) => !OF_ONE_HOP.has(name.toLowerCase()))
    .flat();
}

function trailersOf({ rawTrailers }: IncomingMessage): [name: string, value: string][] {
  return toPairs(rawTrailers).map(([name, value]) => [name, value]);
}
