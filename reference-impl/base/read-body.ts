import type { Body } from './body.ts';
import type { HeaderMap } from './headers.ts';

export interface ReadBody {
  /** The whole body, or its first `limit` bytes when it is larger. */
  readonly bytes: Uint8Array;
  readonly overflow: boolean;
  /** The same body again from its first byte, for whoever comes next. */
  readonly rest: Body;
}

/** Reads a body completely, but never holds more than `limit` bytes plus one chunk. Rejects when the sender broke off. */
export async function readBody(body: Body | undefined, limit: number): Promise<ReadBody> {
  if (body === undefined) return { bytes: EMPTY, overflow: false, rest: bytesBody(EMPTY) };
  const chunks: Uint8Array[] = [];
  let size = 0;
  while (size <= limit) {
    const chunk = await body.read();
    if (chunk === undefined) return complete(concatenate(chunks, size), body.trailers);
    chunks.push(chunk);
    size += chunk.byteLength;
  }
  const read = concatenate(chunks, size);
  return { bytes: read.subarray(0, limit), overflow: true, rest: prepend(read, body) };
}

/** A body whose bytes are known. Reads nothing from anywhere and cannot fail. */
export function bytesBody(bytes: Uint8Array): Body {
  let unread = bytes.byteLength > 0 ? bytes : undefined;
  const take = (): Uint8Array | undefined => {
    const taken = unread;
    unread = undefined;
    return taken;
  };
  return {
    read: () => Promise.resolve(take()),
    cancel: () => {
      unread = undefined;
    },
    length: bytes.byteLength,
    takeAll: () => take() ?? EMPTY,
  };
}

export interface Recorded extends Body {
  /** Stops recording and calls `done` now, if it was not called yet. */
  readonly flush: () => void;
}

/**
 * The same body, of which the first `limit` bytes are kept aside as they pass; nothing is delayed. `done` is called
 * once with what was kept: at the end, when the body breaks, or when the reader wants no more.
 */
export function recordBody(body: Body, limit: number, done: (kept: Uint8Array) => void): Recorded {
  const kept: Uint8Array[] = [];
  let size = 0;
  let finished = false;
  const finish = (): void => {
    if (finished) return;
    finished = true;
    done(concatenate(kept, size));
  };
  const keep = (chunk: Uint8Array): void => {
    if (finished) return;
    const room = chunk.subarray(0, limit - size);
    if (room.byteLength === 0) return;
    kept.push(room);
    size += room.byteLength;
  };
  const read = async (): Promise<Uint8Array | undefined> => {
    try {
      const chunk = await body.read();
      if (chunk === undefined) finish();
      else keep(chunk);
      return chunk;
    } catch (error) {
      finish();
      throw error;
    }
  };
  const cancel = (): void => {
    finish();
    body.cancel();
  };
  const { length, trailers } = body;
  return { read, cancel, flush: finish, length, ...(trailers === undefined ? {} : { trailers }) };
}

const EMPTY = new Uint8Array(0);

/** A body with trailers has no length: HTTP/1.1 takes trailers after chunks only. */
function complete(bytes: Uint8Array, trailers: (() => HeaderMap) | undefined): ReadBody {
  const rest = trailers === undefined || trailers().size === 0 ? bytesBody(bytes) : withTrailers(bytes, trailers);
  return { bytes, overflow: false, rest };
}

function withTrailers(bytes: Uint8Array, trailers: () => HeaderMap): Body {
  const { read, cancel } = bytesBody(bytes);
  return { read, cancel, length: undefined, trailers };
}

function prepend(first: Uint8Array, body: Body): Body {
  let unread: Uint8Array | undefined = first;
  const read = (): Promise<Uint8Array | undefined> => {
    const chunk = unread;
    unread = undefined;
    return chunk === undefined ? body.read() : Promise.resolve(chunk);
  };
  return {
    read,
    cancel: body.cancel,
    length: body.length,
    ...(body.trailers === undefined ? {} : { trailers: body.trailers }),
  };
}

function concatenate(chunks: readonly Uint8Array[], size: number): Uint8Array {
  if (chunks.length === 1 && chunks[0] !== undefined) return chunks[0];
  const bytes = new Uint8Array(size);
  let offset = 0;
  for (const chunk of chunks) {
    bytes.set(chunk, offset);
    offset += chunk.byteLength;
  }
  return bytes;
}
