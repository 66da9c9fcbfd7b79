import { createServer } from 'node:http';
import type { IncomingMessage } from 'node:http';
import type { Duplex } from 'node:stream';
import type { RawData, WebSocket } from 'ws';
import { WebSocketServer } from 'ws';
import type { Gates } from '../../gates.ts';
import { createLedger } from '../../ledger.ts';
import type { LedgerWriter } from '../../ledger.ts';
import { listen, resetConnection } from '../../listen.ts';
import type { Mock, MockOptions } from '../../mock.ts';
import { pathOf } from '../../target.ts';
import { recordSession } from './session.ts';
import type { Action, RealtimeScript } from './script.ts';
import { wholeEvent } from './whole-event.ts';

/** Starts a realtime provider. Rejects when its port cannot be bound. */
export async function startRealtimeMock(script: RealtimeScript, options: MockOptions): Promise<Mock> {
  const ledger = createLedger();
  const connections = new WeakMap<object, number>();
  const server = createServer((request, response) => {
    recordSession(request, connections.get(request.socket) ?? 0, ledger).settle();
    response.writeHead(426, { connection: 'close', 'content-length': 0 }).end();
  });
  const sockets = new WebSocketServer({ noServer: true, maxPayload: MOST_BYTES });
  server.on('upgrade', (request, socket, head) => {
    const session = recordSession(request, connections.get(request.socket) ?? 0, ledger);
    const status = refusal(request, script);
    if (status !== undefined) {
      session.settle();
      refuse(socket, status);
      return;
    }
    sockets.handleUpgrade(request, socket, head, (webSocket) => {
      let events = 0;
      const count = (): number => (events += 1);
      play(script, webSocket, request, { session, gates: options.gates, ledger, name: options.name, count });
    });
  });
  const onAccept = (socket: object): void => void connections.set(socket, ledger.accept());
  const { close, ...address } = await listen(server, { ...options, tls: script.tls, onAccept });
  const stop = async (): Promise<void> => {
    sockets.close();
    await close();
  };
  return { kind: 'realtime', ...address, ledger, stop };
}

const MOST_BYTES = 16 * 1024 * 1024;

/** The status that the handshake is answered with; undefined when it is good. */
function refusal(
  { url = '', headers }: IncomingMessage,
  { path = '/v1/realtime', key, refuse: wanted }: RealtimeScript,
): number | undefined {
  if (pathOf(url) !== path) return 404;
  if (wanted !== undefined || key === undefined) return wanted;
  const token = /^Bearer (\S+)$/.exec(headers.authorization ?? '')?.[1];
  return token !== key ? 401 : undefined;
}

function refuse(socket: Duplex, status: number): void {
  const body = JSON.stringify({ error: { type: 'invalid_request_error', message: `the provider answers ${status}` } });
  socket.end(
    `HTTP/1.1 ${status} Refused\r\ncontent-type: application/json\r\nconnection: close\r\ncontent-length: ${body.length}\r\n\r\n${body}`,
  );
}

interface Stage {
  readonly session: ReturnType<typeof recordSession>;
  readonly gates: Gates;
  readonly ledger: LedgerWriter;
  readonly name: string;
  /** The number of the next event of this connection. */
  readonly count: () => number;
}

/** Follows the script until the connection is gone; what it says to one event is said before the next is looked at. */
function play(script: RealtimeScript, webSocket: WebSocket, request: IncomingMessage, stage: Stage): void {
  const { session, ledger, name } = stage;
  let saying = Promise.resolve();
  const say = (actions: readonly Action[]): void => {
    saying = saying
      .then(() => perform(actions, webSocket, request, stage))
      .catch((error: unknown) => {
        ledger.fail(`peer ${name} broke: ${error instanceof Error ? error.message : String(error)}`);
        webSocket.terminate();
      });
  };
  webSocket.on('message', (data, isBinary) => {
    const bytes = bytesOf(data);
    const type = session.receive(bytes, isBinary);
    for (const { type: wanted, do: actions } of script.on ?? []) if (wanted === type) say(actions);
  });
  webSocket.on('pong', (data) => session.notePong(data.toString('utf8')));
  webSocket.on('close', (code, reason) => session.close(code, reason.toString('utf8')));
  webSocket.on('error', () => webSocket.terminate());
  say(script.greet ?? []);
}

async function perform(
  actions: readonly Action[],
  webSocket: WebSocket,
  request: IncomingMessage,
  stage: Stage,
): Promise<void> {
  for (const action of actions) {
    if ('gate' in action) await stage.gates.wait(action.gate, 5000);
    else if ('send' in action) webSocket.send(JSON.stringify(wholeEvent(action.send, stage.count())));
    else if ('text' in action) webSocket.send(action.text);
    else if ('base64' in action) webSocket.send(Buffer.from(action.base64, 'base64'), { binary: true });
    else if ('ping' in action) webSocket.ping(action.ping);
    else if ('reset' in action) resetConnection(request.socket);
    else if ('close' in action) webSocket.close(action.close, action.reason);
    else
      for (const [index, piece] of action.pieces.entries())
        webSocket.send(piece, { fin: index === action.pieces.length - 1 });
  }
}

function bytesOf(data: RawData): Buffer {
  if (Array.isArray(data)) return Buffer.concat(data);
  return Buffer.isBuffer(data) ? data : Buffer.from(data);
}
