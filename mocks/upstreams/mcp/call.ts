import type { Json } from '../../json.ts';

/** A message as the server understands it. */
export interface Call {
  /** Method of JSON-RPC; `listen` and `delete` are those of HTTP, `reply` is the answer of a client to the server. */
  readonly method: string;
  /** Undefined for a notification. */
  readonly id: string | number | undefined;
  readonly params: Json;
  /** Name of the tool or prompt, or URI of the resource. */
  readonly name: string | undefined;
  /** The session the client says it is in. */
  readonly session: string | undefined;
  readonly headers: Readonly<Record<string, string | readonly string[]>>;
  /** Whether it is in the revision without sessions. */
  readonly perRequest: boolean;
  /** Why the server refuses it, whatever the script says. */
  readonly problem?: Problem;
}

/** A status of HTTP, or with 200 an error of JSON-RPC. */
export interface Problem {
  readonly status: number;
  readonly code: number;
  readonly message: string;
  readonly data?: Json;
}
