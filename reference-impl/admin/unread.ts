import type { ServerResponse } from 'node:http';
import type { Log } from '../base/log.ts';

/** What the readers of all streams have not read yet. */
export interface Unread {
  /** Writes to one of them, and cuts off who leaves most lying, once all together leave too much. */
  readonly write: (response: ServerResponse, text: string) => void;
}

/** Bytes all readers together may leave lying. */
const TOTAL = 64 * 1024 * 1024;

/** Bytes that are nothing to count for; as many for each connection of the admin listener are no more than `TOTAL`. */
const UNCOUNTED = 64 * 1024;

export function createUnread(log: Log['warn'], total = TOTAL): Unread {
  const open = new Set<ServerResponse>();
  const watched = (response: ServerResponse): void => {
    if (open.has(response)) return;
    open.add(response);
    response.once('close', () => open.delete(response));
  };
  const makeRoom = (): void => {
    const sizes = [...open].map((response) => ({ response, bytes: response.writableLength }));
    let sum = sizes.reduce((all, { bytes }) => all + bytes, 0);
    for (const { response, bytes } of sizes.toSorted((left, right) => right.bytes - left.bytes)) {
      if (sum <= total) return;
      log('a reader of the admin listener is cut off', { unread: bytes, unreadOfAll: sum });
      response.destroy();
      open.delete(response);
      sum -= bytes;
    }
  };

  return {
    write: (response, text) => {
      if (response.destroyed || response.writableEnded) return;
      watched(response);
      response.write(text);
      if (response.writableLength > UNCOUNTED) makeRoom();
    },
  };
}
