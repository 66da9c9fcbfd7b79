import { randomBytes } from 'node:crypto';
import type { Clock } from '../../../base/clock.ts';
import type { FormatName, UpstreamFormatName } from '../formats/format.ts';
import { asString, type Json } from '../../json.ts';
import type { StreamEvent } from '../streams/stream-event.ts';

/** A client that speaks `from` in front of an upstream that speaks `to`. Pure: no clock, no randomness, no I/O. */
export interface Translation {
  readonly from: FormatName;
  readonly to: UpstreamFormatName;
  /** The request as the upstream wants it. Throws UnsupportedByFormat (400) for what it cannot express and must not lose. */
  readonly request: (request: Json) => Json;
  /** A buffered reply of the upstream as the client wants it. Throws UnreadableReply (502) when it is not one. */
  readonly reply: (reply: Json, stamp: Stamp) => Json;
  /** The body of an upstream's error in the client's format. */
  readonly error: (status: number, error: Json) => Json;
  /** A translator for one stream. */
  readonly stream: (stamp: Stamp) => StreamTranslator;
}

export interface StreamTranslator {
  /** Events for the client. Nothing comes after the end of the stream or an error. */
  readonly event: (event: StreamEvent) => readonly StreamEvent[];
  /** The upstream's stream is over, cleanly or not: when it broke off, the client gets an error of its format. */
  readonly end: () => readonly StreamEvent[];
}

/** What a reply needs and the upstream's reply does not have. */
export interface Stamp {
  /** Seconds since 1970. */
  readonly created: number;
  /** 16 hexadecimal digits, new at each call. */
  readonly id: () => string;
  /** The client's request, as it was translated. */
  readonly request?: Json;
  /** A header field of the upstream's reply. */
  readonly header?: (name: string) => string | undefined;
}

/** The model a reply names, or the one that was asked for: some providers name none. */
export function replyModel(named: unknown, { request }: Stamp): string {
  const name = asString(named) ?? '';
  return name === '' ? (asString(request?.['model']) ?? '') : name;
}

export function newStamp(clock: Clock): Stamp {
  return { created: Math.floor(clock.wall() / 1000), id: () => randomBytes(8).toString('hex') };
}

/** Part of a client's request has no counterpart in the format of the upstream. */
export class UnsupportedByFormat extends Error {
  override readonly name = 'UnsupportedByFormat';
}

/** What the upstream sent is not a reply of its format. */
export class UnreadableReply extends Error {
  override readonly name = 'UnreadableReply';
}
