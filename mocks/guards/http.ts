import type { Bytes } from '../script.ts';
import type { GuardReply } from './script.ts';

/** A request as the HTTP mock recorded it. */
export interface GuardRequest {
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
  chunks?: ({ text: string } | { gate: string; giveUp?: string | undefined })[];
  fault?: NonNullable<GuardReply['fault']>;
  fail?: string;
}

/** The value of a field, if it came exactly once. */
export function fieldOf({ headers }: GuardRequest, name: string): string | undefined {
  const values = headers.filter(([field]) => field.toLowerCase() === name);
  return values.length === 1 ? values[0]?.[1] : undefined;
}
