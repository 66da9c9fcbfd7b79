import { jsonReply } from '../../http-exchange.ts';
import type { HttpPiece, HttpReply } from '../../http-exchange.ts';
import { isJsonObject } from '../../json.ts';
import type { Json } from '../../json.ts';
import { toBytes } from '../../script.ts';
import { scriptedProblem, sse } from './formats/format.ts';
import type { LlmFormat, Problem, StreamWriter } from './formats/format.ts';
import type { Call } from './receive.ts';
import { piecesOf, saidBy } from './said.ts';
import type { LlmReply, LlmScript, Piece } from './script.ts';

type Fault = Exclude<LlmScript['fault'], 'refuse'>;

/** The answer to one request: the refusal of the provider, or what the script says, as a document or as a stream. */
export function sendReply(reply: LlmReply, call: Call, peerFault: Fault): HttpReply {
  // A test that wants no request to arrive wants none that is refused either.
  if (reply.fail !== undefined) return { fail: reply.fail };
  if (call.problem !== undefined) return refused(call.problem, call.format, reply);
  const fault = reply.fault ?? peerFault;
  return { ...answer(reply, call), ...(fault === undefined ? {} : { fault }) };
}

function answer(reply: LlmReply, call: Call): HttpReply {
  const { format, json, streaming, target } = call;
  const status = reply.status ?? 200;
  if (reply.body !== undefined) return { status, body: reply.body, headers: reply.headers ?? {} };
  if (reply.json !== undefined) return document(status, reply.json, reply);
  const refusal = scriptedRefusal(reply);
  if (refusal !== undefined) return refused(refusal, format, reply);
  const model = reply.model ?? call.model;
  const said = saidBy(reply);
  if (!streaming || format.stream === undefined) {
    const whole = document(status, overlay(format.reply(said, json, model), reply.with ?? {}), reply);
    return format.stream === undefined || reply.stream === undefined ? whole : asSaid(whole, reply.stream, call, reply);
  }
  const writer = format.stream(said, json, model, target);
  return {
    status,
    headers: {
      'content-type': writer.type ?? 'text/event-stream; charset=utf-8',
      'cache-control': 'no-cache',
      ...reply.headers,
    },
    chunks: slicePieces(streamPieces(piecesOf(reply), writer), reply.slice),
  };
}

/** Members of both; where both have one it is the later's, and objects in it are laid over each other the same way. */
function overlay(under: Json, over: Json): Json {
  const laid = Object.entries(over).map(([name, value]) => {
    const below = under[name];
    return [name, isJsonObject(value) && isJsonObject(below) ? overlay(below, value) : value] as const;
  });
  return { ...under, ...Object.fromEntries(laid) };
}

function scriptedRefusal({ status, error }: LlmReply): Problem | undefined {
  if (error === undefined && (status ?? 200) < 400) return undefined;
  return scriptedProblem(error ?? true, status ?? 500);
}

function refused(refusal: Problem, { error, errorHeaders }: LlmFormat, reply: LlmReply): HttpReply {
  const headers = { ...errorHeaders?.(refusal), ...reply.headers };
  return document(refusal.status, error(refusal), { ...reply, headers });
}

function document(status: number, json: LlmReply['json'] | Json, reply: LlmReply): HttpReply {
  const headers = { 'x-request-id': 'req_mock', ...reply.headers };
  return jsonReply(JSON.stringify(json), { ...reply, status, headers });
}

/** A document is there when all of it has been said: it waits where a stream waits, and what breaks a stream off breaks it off. */
function asSaid(whole: HttpReply, pieces: readonly Piece[], { format }: Call, reply: LlmReply): HttpReply {
  const gates: HttpPiece[] = [];
  for (const piece of pieces) {
    if ('gate' in piece) gates.push({ gate: piece.gate, giveUp: piece.giveUp });
    else if ('error' in piece) return refused(scriptedProblem(piece.error, 500), format, reply);
    else if ('disconnect' in piece || 'end' in piece)
      return { ...whole, body: '', chunks: [...gates, { reset: true }] };
    else if ('done' in piece) break;
  }
  const { body, ...rest } = whole;
  return gates.length === 0 || typeof body !== 'string' ? whole : { ...rest, chunks: [...gates, { text: body }] };
}

/** The pieces of a script in the events of the format; one write each. What ends a stream ends it without the rest. */
function streamPieces(pieces: readonly Piece[], writer: StreamWriter): HttpPiece[] {
  const sent: HttpPiece[] = [];
  const text = (events: string | Buffer): void => void (events.length === 0 ? undefined : sent.push(pieceOf(events)));
  for (const piece of pieces) {
    if ('gate' in piece) sent.push({ gate: piece.gate, giveUp: piece.giveUp });
    else if ('data' in piece) text(writer.event?.(piece.data, piece.event) ?? sse(piece.data, piece.event));
    else if ('raw' in piece) sent.push({ base64: toBytes(piece.raw).toString('base64') });
    else if ('ping' in piece) text(writer.ping());
    else if ('error' in piece) return [...sent, pieceOf(writer.error(scriptedProblem(piece.error, 500)))];
    else if ('disconnect' in piece) return [...sent, { reset: true }];
    else if ('end' in piece) return sent;
    else if ('done' in piece) break;
    else text(writer.write(piece));
  }
  text(writer.end());
  return sent;
}

function pieceOf(events: string | Buffer): HttpPiece {
  return typeof events === 'string' ? { text: events } : { base64: events.toString('base64') };
}

/** The same bytes cut without regard to events, lines or characters. */
function slicePieces(pieces: readonly HttpPiece[], size: number | undefined): HttpPiece[] {
  if (size === undefined) return [...pieces];
  return pieces.flatMap((piece): HttpPiece[] => {
    const bytes = bytesOf(piece);
    if (bytes === undefined) return [piece];
    return Array.from({ length: Math.ceil(bytes.length / size) }, (_, index) => ({
      base64: bytes.subarray(index * size, (index + 1) * size).toString('base64'),
    }));
  });
}

function bytesOf(piece: HttpPiece): Buffer | undefined {
  if (typeof piece === 'string') return Buffer.from(piece);
  if ('text' in piece) return Buffer.from(piece.text);
  return 'base64' in piece ? Buffer.from(piece.base64, 'base64') : undefined;
}
