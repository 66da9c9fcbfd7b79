import type { HeaderMap } from './headers.ts';

/** A message body as it flows: pulled one chunk at a time, so a slow reader slows the sender down. */
export interface Body {
  /** Next chunk, never empty; undefined at the end. Rejects with a ProxyError when the sender broke off. */
  readonly read: () => Promise<Uint8Array | undefined>;
  /** The reader wants no more; the sender may be cut off. Safe to call at any time, more than once. */
  readonly cancel: () => void;
  /** Declared size in bytes, when the sender declared one. */
  readonly length: number | undefined;
  /** Trailer fields; known only after `read` returned undefined. */
  readonly trailers?: () => HeaderMap;
  /**
   * Everything not yet read, if the end has already arrived; the body is then consumed. Undefined: use `read`.
   * Lets a writer send a small message in one piece.
   */
  readonly takeAll?: () => Uint8Array | undefined;
}
