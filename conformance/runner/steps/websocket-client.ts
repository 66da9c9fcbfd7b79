import { WebSocket, type RawData } from 'ws';
import { failureOf } from './failure.ts';
import { headerObject } from './receiver.ts';
import type { Observation, StepContext } from './step.ts';
import type { WebSocketAct } from './websocket-act.ts';
import { createWaiting } from './waiting.ts';

export interface WebSocketPlan {
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly protocols: readonly string[];
  readonly acts: readonly WebSocketAct[];
}

const RECEIVE_LIMIT = 16 * 1024 * 1024;

/** Opens the connection, does the acts and waits for the end of the connection. Never rejects for what the other side does. */
export async function webSocketSession(plan: WebSocketPlan, context: StepContext): Promise<Observation> {
  const began = performance.now();
  const line = openLine(plan, context);
  await line.until(() => line.seen['status'] !== undefined);
  for (const act of plan.acts) await perform(act, line, context);
  if (line.socket.readyState === WebSocket.OPEN && !plan.acts.some((act) => 'close' in act || 'reset' in act))
    line.socket.close(1000);
  await line.until(() => line.state.over);
  if (!line.state.over) line.socket.terminate();
  context.timeline.add('client', `< ${line.messages.length} message(s)`);
  return {
    ...line.seen,
    messages: line.messages.map(describeMessage),
    pongs: line.pongs,
    gates: context.peers.gates.outcomes(),
    elapsedMs: Math.round(performance.now() - began),
    ...(line.state.over ? {} : { failure: 'timeout' }),
  };
}

interface Line {
  readonly socket: WebSocket;
  readonly state: { over: boolean; timedOut: boolean; read: number };
  readonly seen: Record<string, unknown>;
  readonly messages: (string | Buffer)[];
  readonly pongs: string[];
  /** Resolves when the condition holds, the connection is over, or the limit has passed. */
  readonly until: (condition: () => boolean) => Promise<void>;
}

function openLine({ url, headers, protocols }: WebSocketPlan, context: StepContext): Line {
  context.timeline.add('client', `> WebSocket ${url}`);
  const socket = new WebSocket(url, [...protocols], { headers, maxPayload: RECEIVE_LIMIT, skipUTF8Validation: true });
  const { wake, until } = createWaiting(() => line.state.over || line.state.timedOut);
  const line: Line = {
    socket,
    state: { over: false, timedOut: false, read: 0 },
    seen: {},
    messages: [],
    pongs: [],
    until,
  };
  const { seen, state, messages, pongs } = line;
  context.limit.addEventListener('abort', () => {
    state.timedOut = true;
    wake();
  });
  const note = (members: Record<string, unknown>): void => {
    Object.assign(seen, members);
    wake();
  };
  socket.on('upgrade', ({ rawHeaders }) => note({ headers: headerObject(pairs(rawHeaders)) }));
  socket.on('open', () => note({ status: 101, protocol: socket.protocol }));
  socket.on('unexpected-response', (_, response) => {
    const parts: Buffer[] = [];
    response.on('data', (bytes: Buffer) => parts.push(bytes));
    response.on('close', () => {
      state.over = true;
      const body = Buffer.concat(parts).toString('utf8');
      note({ status: response.statusCode, headers: headerObject(pairs(response.rawHeaders)), body });
    });
  });
  socket.on('message', (data, isBinary) => {
    const bytes = bytesOf(data);
    messages.push(isBinary ? bytes : bytes.toString('utf8'));
    for (const { event, open } of context.on) if (event === messages.length) context.peers.gates.open(open);
    wake();
  });
  socket.on('pong', (bytes) => {
    pongs.push(bytes.toString('utf8'));
    wake();
  });
  socket.on('error', (error) => {
    // Once it is open, bytes that are no frames for a client are its failure; a connection that is gone is 1006.
    if (seen['status'] === undefined) note({ failure: failureOf(error) });
    else if (brokeProtocol(error)) note({ failure: 'malformed' });
  });
  socket.on('close', (code, reason) => {
    state.over = true;
    note(seen['status'] === 101 ? { closeCode: code, closeReason: reason.toString('utf8') } : {});
  });
  return line;
}

function brokeProtocol(error: Error): boolean {
  return 'code' in error && String(error.code).startsWith('WS_ERR_');
}

async function perform(act: WebSocketAct, line: Line, context: StepContext): Promise<void> {
  const { socket, messages, state } = line;
  if ('await' in act) {
    await line.until(() => messages.slice(state.read).some((message) => fits(message, act.await)));
    state.read = messages.findIndex((message, index) => index >= state.read && fits(message, act.await)) + 1;
    return;
  }
  if ('open' in act) context.peers.gates.open(act.open);
  if (socket.readyState !== WebSocket.OPEN) return;
  if ('send' in act) socket.send(JSON.stringify(act.send));
  else if ('text' in act) socket.send(act.text);
  else if ('base64' in act) socket.send(Buffer.from(act.base64, 'base64'));
  else if ('ping' in act) socket.ping(act.ping);
  else if ('close' in act) socket.close(Number(act.close), act.reason);
  else if ('reset' in act) socket.terminate();
}

function fits(message: string | Buffer, wanted: string): boolean {
  const shown = describeMessage(message);
  if (typeof shown === 'string') return shown.includes(wanted);
  return typeof shown === 'object' && shown !== null && 'type' in shown && shown.type === wanted;
}

function describeMessage(message: string | Buffer): unknown {
  if (typeof message !== 'string') return { base64: message.toString('base64') };
  try {
    return JSON.parse(message) as unknown;
  } catch {
    return message; // a text that is no JSON
  }
}

function pairs(raw: readonly string[]): readonly (readonly [string, string])[] {
  return raw.flatMap((name, index) => (index % 2 === 0 ? [[name, raw[index + 1] ?? ''] as const] : []));
}

function bytesOf(data: RawData): Buffer {
  if (Array.isArray(data)) return Buffer.concat(data);
  return Buffer.isBuffer(data) ? data : Buffer.from(data);
}
