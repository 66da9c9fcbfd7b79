import { createServer, STATUS_CODES, type IncomingMessage } from 'node:http';
import { connect, Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import { createLedger } from '../../ledger.ts';
import type { LedgerWriter } from '../../ledger.ts';
import { listen, refuse, resetConnection } from '../../listen.ts';
import type { Bound } from '../../listen.ts';
import type { Mock, MockOptions } from '../../mock.ts';
import { recordAsked } from './entry.ts';
import type { OpenEntry } from './entry.ts';
import { forward, forwardUpgrade, type Onward, partsOf } from './forward.ts';
import type { ConnectProxyScript } from './script.ts';

/** Starts a proxy server that leads to the other peers. Rejects when its port cannot be bound. */
export async function startConnectProxyMock(script: ConnectProxyScript, options: MockOptions): Promise<Mock> {
  if (script.fault === 'refuse') return toMock(await refuse(options), createLedger({ countsConnections: false }));
  const ledger = createLedger();
  const connections = new WeakMap<object, number>();
  const numberOf = (socket: object): number => connections.get(socket) ?? 0;
  const tunnels = new Set<Socket>();
  const { status = 200, headers = {} } = script;
  const keep = (far: Socket): void => void tunnels.add(far.once('close', () => tunnels.delete(far)));
  const strayed = ({ url }: IncomingMessage): void => {
    ledger.fail(`peer ${options.name} was asked for ${url}, which is nobody of this case`);
  };
  const server = createServer((request, response) => {
    const entry = recordAsked(request, numberOf(request.socket), ledger);
    if (fail(script, request.socket, entry)) return;
    const to = onwardOf(request, options.host);
    if (to === 'stray') strayed(request);
    if (typeof to !== 'string' && status === 200) {
      void forward(request, response, to).then(entry.settle);
      return;
    }
    const refusal = to === 'origin' ? 405 : to === 'stray' ? 502 : status;
    response.writeHead(refusal, { ...headers, connection: 'close', 'content-length': 0 }).end();
    entry.settle();
  });
  server.on('upgrade', (request, client, head) => {
    const entry = recordAsked(request, numberOf(client), ledger);
    if (fail(script, client, entry)) return;
    const to = onwardOf(request, options.host);
    if (to === 'stray') strayed(request);
    if (typeof to !== 'string' && status === 200) keep(forwardUpgrade(request, client, head, to));
    else client.end(emptyAnswer(status === 200 ? 502 : status, headers, CLOSES));
    entry.settle();
  });
  server.on('connect', (request, client, head) => {
    const entry = recordAsked(request, numberOf(client), ledger);
    if (fail(script, client, entry)) return;
    if (status !== 200) {
      client.end(emptyAnswer(status, headers, CLOSES));
      entry.settle();
      return;
    }
    const place = placeOf(request.url ?? '', options.host);
    if (place === undefined) {
      strayed(request);
      client.end(emptyAnswer(502, {}, 'content-length: 0\r\n'));
      entry.settle();
      return;
    }
    const far = connect(place);
    keep(far);
    carry({ client, far, head, answer: emptyAnswer(200, headers) }, entry);
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

/** The head of an answer without a body. */
function emptyAnswer(status: number, headers: Readonly<Record<string, string>> = {}, more = ''): string {
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`);
  return `HTTP/1.1 ${status} ${STATUS_CODES[status] ?? 'Other'}\r\n${lines.join('')}${more}\r\n`;
}

/** Where a whole URL leads; `origin` for what only an origin server is asked, `stray` for who is nobody of this case. */
function onwardOf({ url = '' }: IncomingMessage, host: string): Onward | 'origin' | 'stray' {
  const parts = partsOf(url);
  if (parts === undefined) return 'origin';
  const place = placeOf(parts.authority, host);
  return place === undefined ? 'stray' : { ...place, target: parts.target };
}

/**
 * Where the client wants to go. Names below `.test` are known to the proxy server alone: there everybody is a peer of the case. Undefined
 * for what is no peer: no mock leads out of its machine.
 */
function placeOf(authority: string, host: string): Omit<Onward, 'target'> | undefined {
  const [, name = '', port] = /^([^:]+):(\d+)$/.exec(authority) ?? [];
  if (port === undefined || Number(port) > 65_535) return undefined;
  if (name !== host && name !== 'localhost' && !name.endsWith('.test')) return undefined;
  return { host, port: Number(port) };
}

const CLOSES = 'content-length: 0\r\nconnection: close\r\n';

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
