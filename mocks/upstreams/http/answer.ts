import { STATUS_CODES } from 'node:http';
import type { LivePiece } from '../../http-exchange.ts';
import { toBytes, toPiece } from '../../script.ts';
import type { Piece as WrittenPiece } from '../../script.ts';
import type { Pair } from '../../values-by-name.ts';
import type { HttpEntry } from './entry.ts';
import type { Reply } from './script.ts';

/** A piece of an answer: what a script can say, or texts that are written as they come. */
type Piece = WrittenPiece | { readonly kind: 'live'; readonly texts: AsyncIterable<string> };

/** A reply with everything filled in that its script left out. */
export interface Answer {
  readonly status: number;
  readonly reason: string;
  readonly headers: readonly Pair[];
  readonly pieces: readonly Piece[];
  readonly trailers: readonly Pair[];
  readonly framing: 'length' | 'chunked' | 'close';
}

interface Content {
  readonly type?: string;
  readonly pieces: readonly Piece[];
}

const BODYLESS = new Set([204, 304]);

/** What `reply` says to this request. A header the script gives is never doubled by a default. */
export function toAnswer(reply: Reply, entry: HttpEntry, peer: string): Answer {
  const status = reply.status ?? 200;
  const content = BODYLESS.has(status) ? { pieces: [] } : contentOf(reply, entry, peer);
  const framing = reply.framing ?? (reply.chunks !== undefined || reply.trailers !== undefined ? 'chunked' : 'length');
  const given = pairsOf(reply.headers);
  const defaults = [...typeHeader(content), ...(BODYLESS.has(status) ? [] : framingHeader(framing, content.pieces))];
  return {
    status,
    reason: reply.reason ?? STATUS_CODES[status] ?? '',
    headers: [...given, ...defaults.filter(([name]) => !given.some(([own]) => own.toLowerCase() === name))],
    pieces: content.pieces,
    trailers: pairsOf(reply.trailers),
    framing,
  };
}

/** The answer as one HTTP/1.1 message; waits and resets among its pieces are left out. */
export function toWire(answer: Answer): Buffer {
  const head = [
    `HTTP/1.1 ${answer.status} ${answer.reason}`,
    ...answer.headers.map(([name, value]) => `${name}: ${value}`),
  ];
  const bodies = answer.pieces.flatMap((piece) => (piece.kind === 'bytes' ? [piece.bytes] : []));
  const body = answer.framing === 'chunked' ? [...bodies.map(toChunk), lastChunk(answer.trailers)] : bodies;
  return Buffer.concat([Buffer.from(`${head.join('\r\n')}\r\n\r\n`, 'latin1'), ...body]);
}

function contentOf(reply: Reply, entry: HttpEntry, peer: string): Content {
  if (reply.chunks !== undefined)
    return {
      pieces: reply.chunks.map((piece) => (isLive(piece) ? { kind: 'live', texts: piece.live } : toPiece(piece))),
    };
  if (reply.json !== undefined) return { type: JSON_TYPE, pieces: [bytes(JSON.stringify(reply.json))] };
  if (reply.echo !== undefined) {
    return { type: JSON_TYPE, pieces: [bytes(JSON.stringify({ peer, ...entry.view() }))] };
  }
  if (reply.body !== undefined) return { type: TEXT_TYPE, pieces: [{ kind: 'bytes', bytes: toBytes(reply.body) }] };
  return { type: TEXT_TYPE, pieces: [bytes(peer)] };
}

const JSON_TYPE = 'application/json';
const TEXT_TYPE = 'text/plain; charset=utf-8';

function isLive(piece: NonNullable<Reply['chunks']>[number]): piece is LivePiece {
  return typeof piece === 'object' && 'live' in piece;
}

function bytes(text: string): Piece {
  return { kind: 'bytes', bytes: Buffer.from(text) };
}

function typeHeader(content: Content): readonly Pair[] {
  return content.type === undefined ? [] : [['content-type', content.type]];
}

function framingHeader(framing: Answer['framing'], pieces: readonly Piece[]): readonly Pair[] {
  if (framing === 'chunked') return [['transfer-encoding', 'chunked']];
  if (framing === 'close') return [['connection', 'close']];
  const length = pieces.reduce((sum, piece) => sum + (piece.kind === 'bytes' ? piece.bytes.length : 0), 0);
  return [['content-length', String(length)]];
}

function pairsOf(headers: Reply['headers']): readonly Pair[] {
  if (headers === undefined) return [];
  const pairs = Array.isArray(headers) ? headers : Object.entries(headers);
  return pairs.flatMap(([name, value]) =>
    (Array.isArray(value) ? value : [value]).map((each): Pair => [name, String(each)]),
  );
}

function toChunk(body: Buffer): Buffer {
  return Buffer.concat([Buffer.from(`${body.length.toString(16)}\r\n`), body, Buffer.from('\r\n')]);
}

function lastChunk(trailers: readonly Pair[]): Buffer {
  return Buffer.from(`0\r\n${trailers.map(([name, value]) => `${name}: ${value}\r\n`).join('')}\r\n`);
}
