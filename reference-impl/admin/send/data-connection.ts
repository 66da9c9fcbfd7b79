import { request, type IncomingMessage } from 'node:http';
import { connect as connectPlain, type Socket } from 'node:net';
import { connect as connectTls } from 'node:tls';
import { isSecretHeader } from '../../trace/credentials.ts';
import type { AskedRequest } from './asked-request.ts';

/** The answer as the page shows it. */
export interface ShownAnswer {
  readonly status: number;
  readonly reason: string;
  /** In their order; values of credentials are replaced by `<redacted>`. */
  readonly headers: readonly (readonly [name: string, value: string])[];
  /** The first bytes, in base64. */
  readonly body: string;
  /** Whether there would have been more. */
  readonly cut: boolean;
}

/** A connection to a data port, open before the request is traced, so that the trace can be asked for by it. */
export interface DataConnection {
  readonly localPort: number;
  /** Sends the request and reads at most `MOST_SHOWN` bytes of what comes back. Rejects when there is no whole answer. */
  readonly exchange: (asked: AskedRequest) => Promise<ShownAnswer>;
  readonly close: () => void;
}

/** Where the data ports are. */
export interface DataPort {
  readonly host: string;
  readonly port: number;
  /** Whether its listeners speak TLS. */
  readonly tls: boolean;
}

/** Bytes of the body of an answer. */
const MOST_SHOWN = 256 * 1024;

/** Rejects with the error of the system when nobody accepts. */
export function connectData({ host, port, tls }: DataPort): Promise<DataConnection> {
  return new Promise((resolve, reject) => {
    const socket = connectPlain({ host, port, noDelay: true });
    // Stays: a connection that breaks while nobody uses it must not end the program.
    socket.on('error', reject);
    socket.once('connect', () => {
      resolve({
        localPort: socket.localPort ?? 0,
        exchange: (asked) => exchange(socket, asked, tls),
        close: () => {
          socket.destroy();
        },
      });
    });
  });
}

function exchange(socket: Socket, asked: AskedRequest, tls: boolean): Promise<ShownAnswer> {
  return new Promise((resolve, reject) => {
    const headers = headersOf(asked);
    const outgoing = request({
      method: asked.method,
      path: asked.target,
      headers: headers.flat(),
      setHost: false,
      createConnection: () => (tls ? secure(socket, hostOf(headers)) : socket),
    });
    outgoing.once('error', reject);
    socket.once('close', () => {
      reject(new Error('the connection was closed before the answer was complete'));
    });
    outgoing.once('response', (answer) => {
      readShown(answer).then(resolve, reject);
    });
    outgoing.once('upgrade', (answer, tunnel) => {
      tunnel.destroy();
      resolve(shown(answer, [], true));
    });
    outgoing.end(asked.body);
  });
}

async function readShown(answer: IncomingMessage): Promise<ShownAnswer> {
  const chunks: Uint8Array[] = [];
  let size = 0;
  for await (const chunk of answer.iterator({ destroyOnReturn: false })) {
    if (!(chunk instanceof Uint8Array)) continue;
    chunks.push(chunk);
    size += chunk.byteLength;
    if (size > MOST_SHOWN) return shown(answer, chunks, true);
  }
  return shown(answer, chunks, false);
}

function shown(answer: IncomingMessage, chunks: readonly Uint8Array[], cut: boolean): ShownAnswer {
  return {
    status: answer.statusCode ?? 0,
    reason: answer.statusMessage ?? '',
    headers: pairs(answer.rawHeaders).map(([name, value]) => [
      name,
      isSecretHeader(name.toLowerCase()) ? '<redacted>' : value,
    ]),
    body: Buffer.concat(chunks).subarray(0, MOST_SHOWN).toString('base64'),
    cut,
  };
}

function pairs(raw: readonly string[]): [name: string, value: string][] {
  return raw.flatMap((name, index) => (index % 2 === 0 ? [[name, raw[index + 1] ?? ''] as [string, string]] : []));
}

function headersOf({ headers, body, port }: AskedRequest): readonly (readonly [string, string])[] {
  const hasHost = headers.some(([name]) => name.toLowerCase() === 'host');
  return [
    ...(hasHost ? [] : [['Host', `127.0.0.1:${port}`] as const]),
    ...headers,
    ...(body === undefined ? [] : [['Content-Length', String(Buffer.byteLength(body))] as const]),
  ];
}

function hostOf(headers: readonly (readonly [string, string])[]): string {
  const [, host = ''] = headers.find(([name]) => name.toLowerCase() === 'host') ?? [];
  return host.replace(/:\d*$/, '');
}

/** The port is the proxy's own: who is there is known, whatever its certificate says. An address is no server name. */
function secure(socket: Socket, host: string): Socket {
  const named = /^[a-z0-9-]*[a-z-][a-z0-9.-]*$/i.test(host) ? { servername: host } : {};
  return connectTls({ socket, ...named, rejectUnauthorized: false, ALPNProtocols: ['http/1.1'] });
}
