import { sseParser, type SseEvent } from './sse.ts';

/** Cuts the bytes of a provider's stream into events; where the network cut them makes no difference. Never throws. */
export interface StreamDecoder {
  /** The events that `bytes` completes. */
  readonly push: (bytes: Uint8Array) => readonly SseEvent[];
  /** The stream is over. */
  readonly end: () => readonly SseEvent[];
  /** Why the stream cannot be read any further. */
  readonly failure: () => string | undefined;
}

/** The usual form of a stream: text. */
export function sseDecoder(): StreamDecoder {
  const { push, end, overflowed } = sseParser();
  return { push, end, failure: () => (overflowed() ? 'an event of the provider is too large' : undefined) };
}
