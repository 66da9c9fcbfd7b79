import { Buffer } from 'node:buffer';
import { createCipheriv, createDecipheriv, randomBytes } from 'node:crypto';
import type { Environment } from '../../credentials/environment.ts';
import { asList, asString, isJson } from '../json.ts';

/** All that is needed to go on with a session, wherever it began. */
export interface Ticket {
  /** The backend: `kind/namespace/name`. */
  readonly backend: string;
  readonly places: readonly Place[];
  /** Whose it is, where clients are known: a digest. */
  readonly owner: string | undefined;
  /** Tells sessions apart whose servers gave them no names. */
  readonly nonce: string | undefined;
}

/** What a session knows of one target. */
export interface Place {
  readonly target: string;
  readonly sessionId: string | undefined;
  /** `host:port` of the replica; undefined when the session did not begin there. */
  readonly endpoint: string | undefined;
  /** The revision that is spoken with it, where it is not the client's. */
  readonly revision: string | undefined;
}

/** The id a client is given. With `SESSION_KEY`, 32 bytes in hex, nobody but the proxy can read or make one. */
export function sealTicket(ticket: Ticket, environment: Environment = process.env): string {
  const text = JSON.stringify({
    t: 'mcp',
    n: ticket.backend,
    s: ticket.places.map((place) => ({ t: place.target, s: place.sessionId, b: place.endpoint, v: place.revision })),
    o: ticket.owner,
    r: ticket.nonce,
  });
  const key = keyIn(environment);
  if (key === undefined) return Buffer.from(text).toString('base64url');
  const nonce = randomBytes(NONCE);
  const cipher = createCipheriv('aes-256-gcm', key, nonce);
  return Buffer.concat([nonce, cipher.update(text, 'utf8'), cipher.final(), cipher.getAuthTag()]).toString('base64');
}

/** What an id says; undefined when the proxy did not make it, or made it under another key. */
export function openTicket(id: string, environment: Environment = process.env): Ticket | undefined {
  const key = keyIn(environment);
  const text = key === undefined ? Buffer.from(id, 'base64url').toString() : decrypt(Buffer.from(id, 'base64'), key);
  return text === undefined ? undefined : ticketIn(text);
}

const NONCE = 12;
const TAG = 16;

function keyIn(environment: Environment): Buffer | undefined {
  const hex = environment['SESSION_KEY'];
  return hex !== undefined && /^[0-9a-fA-F]{64}$/.test(hex) ? Buffer.from(hex, 'hex') : undefined;
}

function decrypt(sealed: Buffer, key: Buffer): string | undefined {
  if (sealed.length < NONCE + TAG) return undefined;
  const decipher = createDecipheriv('aes-256-gcm', key, sealed.subarray(0, NONCE));
  decipher.setAuthTag(sealed.subarray(-TAG));
  try {
    return Buffer.concat([decipher.update(sealed.subarray(NONCE, -TAG)), decipher.final()]).toString();
  } catch {
    return undefined;
  }
}

function ticketIn(text: string): Ticket | undefined {
  const value = parse(text);
  if (!isJson(value) || value['t'] !== 'mcp' || !Array.isArray(value['s'])) return undefined;
  const places = asList(value['s']).map(placeIn);
  const backend = asString(value['n']);
  if (backend === undefined || places.some((place) => place === undefined)) return undefined;
  return {
    backend,
    places: places.filter((place) => place !== undefined),
    owner: asString(value['o']),
    nonce: asString(value['r']),
  };
}

function placeIn(value: unknown): Place | undefined {
  if (!isJson(value) || typeof value['t'] !== 'string') return undefined;
  const [sessionId, endpoint, revision] = [value['s'], value['b'], value['v']].map(asString);
  return { target: value['t'], sessionId, endpoint, revision };
}

function parse(text: string): unknown {
  try {
    const value: unknown = JSON.parse(text);
    return value;
  } catch {
    return undefined;
  }
}
