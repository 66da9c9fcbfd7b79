import type { HeaderMap } from '../../../base/headers.ts';
import type { StreamEvent } from './stream-event.ts';

/** One way to tell events in a stream of bytes. */
export interface StreamForm {
  /** Without parameters. */
  readonly contentType: string;
  /** A cutter for one stream. */
  readonly cutter: () => EventCutter;
}

/** Cuts bytes into events; where the network cut them makes no difference. Never throws. */
export interface EventCutter {
  /** The events that `bytes` completes. */
  readonly push: (bytes: Uint8Array) => readonly StreamEvent[];
  /** The stream is over: what is left of it. */
  readonly end: () => readonly StreamEvent[];
  /** Why the stream cannot be read any further; nothing more comes out of this cutter then. */
  readonly failure: () => string | undefined;
}

/** The form that the head of an answer announces; undefined when it is none of these. */
export function formOf(headers: HeaderMap, forms: readonly StreamForm[]): StreamForm | undefined {
  const type = headers.get('content-type') ?? '';
  const end = type.indexOf(';');
  const announced = (end === -1 ? type : type.slice(0, end)).trim().toLowerCase();
  return forms.find(({ contentType }) => contentType === announced);
}
