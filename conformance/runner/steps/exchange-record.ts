import { isUtf8 } from 'node:buffer';

/** What went over the wire in one direction: its head as lines, and its body as text, or as base64 where it is none. */
export interface Message {
  /** Request line or status line, then the header lines; of an operation its name. */
  readonly head: string;
  readonly body?: string;
  readonly base64?: string;
  readonly bytes: number;
}

/** One question of a step and what came back, for the failure report. */
export interface Exchange {
  readonly step: string;
  readonly request: Message;
  readonly answer: Message;
  /** How the answer ended, when it did not end well: `timeout`, `closed`, … */
  readonly failure?: string;
}

/** Bytes of one body that a report can hold; what is beyond is counted only. */
const KEPT_BYTES = 4 * 1024 * 1024;

/** A message from its parts. */
export function asMessage(head: readonly string[], body: Buffer): Message {
  const kept = body.subarray(0, KEPT_BYTES);
  const shown = isUtf8(kept) ? { body: kept.toString('utf8') } : { base64: kept.toString('base64') };
  return { head: head.join('\n'), ...(kept.length === 0 ? {} : shown), bytes: body.length };
}

/** Header pairs as lines in the order and spelling of the wire. */
export function headerLines(pairs: unknown): readonly string[] {
  if (!Array.isArray(pairs)) return [];
  return pairs.filter(Array.isArray).map(([name, value]) => `${String(name)}: ${String(value)}`);
}

/** A value as the bytes of its JSON. */
export function jsonBytes(value: unknown): Buffer {
  return Buffer.from(JSON.stringify(value) ?? '', 'utf8');
}
