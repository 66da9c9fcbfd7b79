import type { Body } from './body.ts';

/** The same body; `done` is called once when nothing more will come of it: at its end, when it breaks or is given up. */
export function whenOver(body: Body | undefined, done: () => void): Body | undefined {
  if (body === undefined) {
    done();
    return undefined;
  }
  const { length, trailers, takeAll } = body;
  return {
    read: async () => {
      try {
        const chunk = await body.read();
        if (chunk === undefined) done();
        return chunk;
      } catch (error) {
        done();
        throw error;
      }
    },
    cancel: () => {
      done();
      body.cancel();
    },
    length,
    ...(trailers === undefined ? {} : { trailers }),
    ...(takeAll === undefined ? {} : { takeAll: () => overWith(takeAll(), done) }),
  };
}

function overWith(bytes: Uint8Array | undefined, done: () => void): Uint8Array | undefined {
  if (bytes !== undefined) done();
  return bytes;
}
