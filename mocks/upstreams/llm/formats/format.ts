import type { Json } from '../../../json.ts';
import type { ValuesByName } from '../../../values-by-name.ts';
import type { Said } from '../said.ts';
import type { Failure, FormatName, Piece } from '../script.ts';

/** Why a provider refuses a request. */
export interface Problem {
  readonly status: number;
  readonly message: string;
  readonly type?: string | undefined;
  readonly code?: string | undefined;
  /** Where in the body, such as `messages[0].role`. */
  readonly param?: string | undefined;
}

/** One wire format, as its provider speaks it. */
export interface LlmFormat {
  readonly name: FormatName;
  /** Where the provider has it. */
  readonly path: string;
  /** Where compatible providers have it too. */
  readonly alsoAt?: readonly string[];
  /** For paths that say more than where: what this one says, or undefined when it is not one of the format. */
  readonly at?: (path: string) => Spoken | undefined;
  /** Set when it is asked with GET and without a body; the model a reply names when the script names none. */
  readonly reads?: { readonly model: string };
  /**
   * Undefined when the provider takes these headers; names are lower-case. `key` is the only good credential, if there is one. Some take it in
   * the target, too.
   */
  readonly headerProblem: (headers: ValuesByName, key: string | undefined, target: string) => Problem | undefined;
  /** Set when the provider takes a body of any content type, or of none. */
  readonly anyType?: true;
  /** Undefined when the provider takes this body. */
  readonly bodyProblem: (request: Json) => Problem | undefined;
  readonly error: (problem: Problem) => Json;
  /** Headers of an error beside its document. */
  readonly errorHeaders?: (problem: Problem) => Readonly<Record<string, string>>;
  readonly reply: (said: Said, request: Json, model: string) => Json;
  /** Absent where the format has no streams. */
  readonly stream?: (said: Said, request: Json, model: string, target: string) => StreamWriter;
}

/** What the path of a request says of it. */
export interface Spoken {
  readonly model: string;
  readonly streaming: boolean;
}

/** Writes one stream, as server-sent events unless the format has its own; each call gives none, one or several events. */
export interface StreamWriter {
  /** The content type of what are not server-sent events. */
  readonly type?: string;
  readonly write: (piece: SpokenPiece) => string | Buffer;
  readonly ping: () => string | Buffer;
  /** The error that ends a stream in its middle. */
  readonly error: (problem: Problem) => string | Buffer;
  /** An event as the script has it, where it is not server-sent. */
  readonly event?: (data: Json | string, type: string | undefined) => string | Buffer;
  /** What is still missing: the finish reason, the usage, the terminator. */
  readonly end: () => string | Buffer;
}

/** The pieces of a stream that say something in the format's own events. */
export type SpokenPiece = Extract<
  Piece,
  { delta: string } | { reasoning: string } | { toolCall: unknown } | { usage: unknown } | { finish: string }
>;

/** One server-sent event: data as JSON text, or as it is. */
export function sse(data: Json | string, event?: string): string {
  const text = typeof data === 'string' ? data : JSON.stringify(data);
  return `${event === undefined ? '' : `event: ${event}\n`}data: ${text}\n\n`;
}

/** The error a script asks for, on top of what the status says. */
export function scriptedProblem(failure: Failure, replyStatus: number): Problem {
  const { status = replyStatus, type, code, message } = failure === true ? {} : failure;
  return { status, message: message ?? `the provider answers ${status}`, type, code };
}

/** Moment at which every reply was made: replies are the same byte for byte in every run. */
export const CREATED = 1_750_000_000;
