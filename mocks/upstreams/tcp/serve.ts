import { createServer } from 'node:net';
import type { Socket } from 'node:net';
import type { Gates } from '../../gates.ts';
import { createLedger } from '../../ledger.ts';
import type { LedgerWriter } from '../../ledger.ts';
import { listen, refuse } from '../../listen.ts';
import type { Bound } from '../../listen.ts';
import type { Mock, MockOptions } from '../../mock.ts';
import { durationMs, toBytes, toPiece } from '../../script.ts';
import { write } from '../../write.ts';
import { swallow } from './blackhole.ts';
import { recordConnection } from './entry.ts';
import type { TcpEntry } from './entry.ts';
import type { TcpScript, TcpSend } from './script.ts';

/** Starts a raw TCP peer. Rejects when its port cannot be bound. */
export async function startTcpMock(script: TcpScript, options: MockOptions): Promise<Mock> {
  if (script.fault === 'refuse') return toMock(await refuse(options), createLedger({ countsConnections: false }));
  if (script.fault === 'blackhole') return toMock(await swallow(options), createLedger({ countsConnections: false }));
  const ledger = createLedger();
  // Both directions end on their own, so that a half-closed connection can be recorded and played.
  const server = createServer({ allowHalfOpen: true }, (socket) => {
    const entry = recordConnection(socket, ledger.accept(), ledger);
    play(script, socket, entry, { ledger, gates: options.gates }).catch((error: unknown) => {
      ledger.fail(`peer ${options.name} broke: ${error instanceof Error ? error.message : String(error)}`);
      socket.destroy();
    });
  });
  return toMock(await listen(server, { ...options, unix: script.unix ?? false }), ledger);
}

function toMock(bound: Bound, ledger: LedgerWriter): Mock {
  const { host, port, socketPath, close } = bound;
  return { kind: 'tcp', host, port, ...(socketPath === undefined ? {} : { socketPath }), ledger, stop: close };
}

interface Stage {
  readonly ledger: LedgerWriter;
  readonly gates: Gates;
}

async function play(script: TcpScript, socket: Socket, entry: TcpEntry, stage: Stage): Promise<void> {
  if (script.fault === 'reset') socket.resetAndDestroy();
  if (script.fault === 'half-close') socket.end();
  if (script.fault !== undefined) return;
  if (script.echo === true) socket.pipe(socket);
  if (script.greeting !== undefined) await write(socket, toBytes(script.greeting));
  let consumed = 0;
  for (const send of script.sends ?? []) {
    if (socket.destroyed) return;
    consumed = await playOne(send, consumed, { socket, entry, ...stage });
  }
  if (script.echo !== true) endWithClient(socket);
}

interface Playing extends Stage {
  readonly socket: Socket;
  readonly entry: TcpEntry;
}

/** Plays one item and returns how many received bytes the waits have used up. */
async function playOne(send: TcpSend, consumed: number, playing: Playing): Promise<number> {
  if (typeof send === 'object' && 'after' in send) return waitForArrival(send, consumed, playing);
  if (typeof send === 'object' && 'end' in send) {
    playing.socket.end();
    return consumed;
  }
  const piece = toPiece(send);
  if (piece.kind === 'gate') await playing.gates.wait(piece.gate, piece.giveUpMs);
  else if (piece.kind === 'reset') playing.socket.resetAndDestroy();
  else await write(playing.socket, piece.bytes);
  return consumed;
}

/** For what never arrives when the script does not say; the step that waits for the answer ends sooner on any machine. */
const ARRIVAL_GIVE_UP = '16s';

async function waitForArrival(
  send: Extract<TcpSend, { after: unknown }>,
  consumed: number,
  playing: Playing,
): Promise<number> {
  const { ledger, entry } = playing;
  const end = (): number => endOfArrival(send.after, consumed, entry.body);
  const giveUpMs = durationMs(send.giveUp ?? ARRIVAL_GIVE_UP);
  await ledger.until(() => end() !== -1 || entry.settled, giveUpMs);
  return Math.max(end(), consumed);
}

function endOfArrival(wanted: number | string, consumed: number, body: Buffer): number {
  if (typeof wanted === 'number') return body.length >= consumed + wanted ? consumed + wanted : -1;
  const at = body.indexOf(wanted, consumed);
  return at === -1 ? -1 : at + Buffer.byteLength(wanted);
}

function endWithClient(socket: Socket): void {
  if (socket.readableEnded) socket.end();
  else socket.once('end', () => socket.end());
}
