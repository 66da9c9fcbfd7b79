import type { Bytes } from '../../script.ts';
import type { LlmReply } from './script.ts';

/** A request as the HTTP mock recorded it. */
export interface LlmRequest {
  readonly method: string;
  readonly target: string;
  readonly headers: readonly (readonly [name: string, value: string])[];
  readonly body: Buffer;
}

/** What the HTTP mock is told to answer. */
export interface HttpReply {
  status?: number;
  headers?: Record<string, string | number>;
  body?: Bytes;
  chunks?: HttpPiece[];
  fault?: NonNullable<LlmReply['fault']>;
  fail?: string;
}

export type HttpPiece =
  string | { text: string } | { base64: string } | { gate: string; giveUp?: string | undefined } | { reset: true };
