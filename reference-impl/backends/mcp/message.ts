import { asObject, isJson, type Json, parseJson } from '../json.ts';

/** What clients and servers say to each other: JSON-RPC 2.0, one message at a time. */
export type Message = Request | Notification | Response;

export interface Request {
  readonly kind: 'request';
  readonly id: Id;
  readonly method: string;
  readonly params: Json | undefined;
}

export interface Notification {
  readonly kind: 'notification';
  readonly method: string;
  readonly params: Json | undefined;
}

export interface Response {
  readonly kind: 'response';
  /** Undefined when whoever answers could not read what was asked. */
  readonly id: Id | undefined;
  readonly outcome: Outcome;
}

export type Outcome = { readonly result: unknown } | { readonly error: Json };

export type Id = string | number;

export type Parsed =
  | { readonly ok: true; readonly message: Message }
  | { readonly ok: false; readonly why: string; readonly id?: Id };

/** The message that `text` spells, or why it spells none. What is too deep to be written again is none. */
export function parseMessage(text: string): Parsed {
  if (isTooDeep(text)) return { ok: false, why: `nested more than ${DEEPEST} levels deep` };
  const value = parseJson(text);
  if (!isJson(value)) return { ok: false, why: value === undefined ? 'not JSON' : 'not a JSON-RPC message' };
  if (value['jsonrpc'] !== '2.0') return { ok: false, why: 'not a message of JSON-RPC 2.0' };
  return typeof value['method'] === 'string' ? callIn(value, value['method']) : responseIn(value);
}

/** The text of a message. */
export function writeMessage(message: Message): string {
  const { kind, ...members } = message;
  if (kind !== 'response') return JSON.stringify({ jsonrpc: '2.0', ...members });
  return JSON.stringify({ jsonrpc: '2.0', id: message.id ?? null, ...message.outcome });
}

/** Whoever nests deeper than this does not mean a message; readers and writers that call themselves would fail. */
const DEEPEST = 256;

function isTooDeep(text: string): boolean {
  let depth = 0;
  let inString = false;
  for (let at = 0; at < text.length; at += 1) {
    const mark = text.charCodeAt(at);
    if (inString) {
      if (mark === BACKSLASH) at += 1;
      else if (mark === QUOTE) inString = false;
    } else if (mark === QUOTE) inString = true;
    else if (OPENING.has(mark)) depth += 1;
    else if (CLOSING.has(mark)) depth -= 1;
    if (depth > DEEPEST) return true;
  }
  return false;
}

const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const OPENING: ReadonlySet<number> = new Set([0x5b, 0x7b]);
const CLOSING: ReadonlySet<number> = new Set([0x5d, 0x7d]);

function callIn(value: Json, method: string): Parsed {
  const params = asObject(value['params']);
  if (value['params'] !== undefined && params === undefined) return { ok: false, why: 'params is not an object' };
  if (!Object.hasOwn(value, 'id')) return { ok: true, message: { kind: 'notification', method, params } };
  const id = idOf(value['id']);
  if (id === undefined) return { ok: false, why: BAD_ID };
  return { ok: true, message: { kind: 'request', id, method, params } };
}

function responseIn(value: Json): Parsed {
  const id = idOf(value['id']);
  const error = asObject(value['error']);
  // An error about a request that could not be read has no id.
  if (id === undefined && (error === undefined || (value['id'] ?? null) !== null)) return { ok: false, why: BAD_ID };
  if (error !== undefined) return { ok: true, message: { kind: 'response', id, outcome: { error } } };
  if (!Object.hasOwn(value, 'result')) return { ok: false, why: 'neither a call nor a response' };
  return { ok: true, message: { kind: 'response', id, outcome: { result: value['result'] } } };
}

const BAD_ID = 'id is neither a whole number nor a short text';

/** Characters an id may have: it is kept for as long as the answer takes. */
const LONGEST_ID = 1024;

/** A number beyond those that JavaScript can tell apart would come back as another one. */
function idOf(value: unknown): Id | undefined {
  if (typeof value === 'string') return value.length <= LONGEST_ID ? value : undefined;
  return typeof value === 'number' && Number.isSafeInteger(value) ? value : undefined;
}
