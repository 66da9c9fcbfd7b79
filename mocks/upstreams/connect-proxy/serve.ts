import { createServer, STATUS_CODES } from 'node:http';
import { connect, Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import { createLedger } from '../../ledger.ts';
import type { LedgerWriter } from '../../ledger.ts';
import { listen, refuse, resetConnection } from '../../listen.ts';
import type { Bound } from '../../listen.ts';
import type { Mock, MockOptions } from '../../mock.ts';
import { recordAsked } from './entry.ts';
import type { OpenEntry } from './entry.ts';
import type { ConnectProxyScript } from './script.ts';

/** Starts a proxy server that leads to the other peers. Rejects when its port cannot be bound. */
export async function startConnectProxyMock(script: ConnectProxyScript, options: MockOptions): Promise<Mock> {
  if (script.fault === 'refuse') return toMock(await refuse(options), createLedger({ countsConnections: false }));
  const ledger = createLedger();
  const connections = new WeakMap<object, number>();
  const numberOf = (socket: object): number => connections.get(socket) ?? 0;
  const server = createServer((request, response) => {
    recordAsked(request, numberOf(request.socket), ledger).settle();
    response.writeHead(405, { connection: 'close', 'content-length': 0 }).end();
  });
  const tunnels = new Set<Socket>();
  server.on('connect', (request, client, head) => {
    const entry = recordAsked(request, numberOf(client), ledger);
    if (fail(script, client, entry)) return;
    const { status = 200 } = script;
    if (status !== 200) {
      client.end(answerOf(script, status, 'content-length: 0\r\nconnection: close\r\n'));
      entry.settle();
      return;
    }
    const far = reach(request.url ?? '', options.host);
    if (far === undefined) {
      ledger.fail(`peer ${options.name} was asked for ${request.url}, which is nobody of this case`);
      client.end(answerOf({}, 502, 'content-length: 0\r\n'));
      entry.settle();
      return;
    }
    tunnels.add(far.once('close', () => tunnels.delete(far)));
    carry({ client, far, head, answer: answerOf(script, 200, '') }, entry);
  });
  const onAccept = (socket: object): void => void connections.set(socket, ledger.accept());
  const bound = await listen(server, { ...options, onAccept });
  const close = async (): Promise<void> => {
    for (const far of tunnels) far.destroy();
    await bound.close();
  };
  return toMock({ ...bound, close }, ledger);
}

function toMock({ host, port, close }: Bound, ledger: LedgerWriter): Mock {
  return { kind: 'connect-proxy', host, port, ledger, stop: close };
}

/** Does what the script has instead of an answer; false where it has one. */
function fail({ fault }: ConnectProxyScript, client: Duplex, entry: OpenEntry): boolean {
  if (fault === undefined) return false;
  if (fault === 'reset' && client instanceof Socket) resetConnection(client);
  if (fault === 'garbage') client.end('SSH-2.0-garbage\r\n\r\n');
  if (fault === 'half-close') client.end();
  client.on('error', ignoreLostPeer).resume();
  entry.settle();
  return true;
}

function answerOf({ headers = {} }: Pick<ConnectProxyScript, 'headers'>, status: number, more: string): string {
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`);
  return `HTTP/1.1 ${status} ${STATUS_CODES[status] ?? 'Other'}\r\n${lines.join('')}${more}\r\n`;
}

/**
 * A connection to where the client wants to go. Names below `.test` are known to the proxy server alone: there everybody is a peer
 * of the case. Undefined for what is no peer: no mock leads out of its machine.
 */
function reach(target: string, host: string): Socket | undefined {
  const [, name = '', port] = /^([^:]+):(\d+)$/.exec(target) ?? [];
  if (port === undefined || Number(port) > 65_535) return undefined;
  if (name !== host && name !== 'localhost' && !name.endsWith('.test')) return undefined;
  return connect({ host, port: Number(port) });
}

interface Tunnel {
  readonly client: Duplex;
  readonly far: Socket;
  /** What came behind the request. */
  readonly head: Buffer;
  readonly answer: string;
}

/** Answers once the far end is there, and copies both ways until one end goes. */
function carry({ client, far, head, answer }: Tunnel, entry: OpenEntry): void {
  const end = (): void => {
    client.destroy();
    far.destroy();
    entry.settle();
  };
  client.on('error', end).once('close', end);
  far.on('error', end).once('close', end);
  far.once('connect', () => {
    client.write(answer);
    if (head.length > 0) client.unshift(head);
    client.on('data', entry.carry);
    client.pipe(far).pipe(client);
    entry.settle();
  });
}

// A client that goes away while it waits for nothing.
function ignoreLostPeer(): void {}
