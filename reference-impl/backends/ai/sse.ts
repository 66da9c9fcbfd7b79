/** One event of a server-sent event stream. */
export interface SseEvent {
  /** The name of the event, when it has one. */
  readonly event?: string;
  /** Its data lines, joined by line feeds. */
  readonly data: string;
}

/** Reads a stream piece by piece; where the pieces are cut makes no difference. */
export interface SseParser {
  /** The events that `bytes` completes. */
  readonly push: (bytes: Uint8Array) => readonly SseEvent[];
  /** The stream is over. An event that only misses its blank line counts: providers end streams without one. */
  readonly end: () => readonly SseEvent[];
  /** An event was larger than allowed. Nothing more comes out of this parser. */
  readonly overflowed: () => boolean;
}

/** Characters that one event may have. */
export const MAX_EVENT_CHARACTERS = 4 * 1024 * 1024;

/** A parser for one stream. Never throws; bytes that are not UTF-8 become U+FFFD. */
export function sseParser(limit: number = MAX_EVENT_CHARACTERS): SseParser {
  const decoder = new TextDecoder();
  const lines = lineSplitter(limit);
  let open = openEvent();
  let overflowed = false;

  const read = (text: string): readonly SseEvent[] => {
    const events: SseEvent[] = [];
    for (const line of lines.push(text)) {
      if (line === '') {
        events.push(...finished(open));
        open = openEvent();
        continue;
      }
      addLine(open, line);
      if (open.size <= limit) continue;
      overflowed = true;
      return events;
    }
    overflowed ||= open.size + lines.pending() > limit;
    return events;
  };

  return {
    push: (bytes) => (overflowed ? [] : read(decoder.decode(bytes, { stream: true }))),
    end: () => {
      if (overflowed) return [];
      // Two line ends: one for a line without its own, one for the missing blank line.
      return read(`${decoder.decode()}\n\n`);
    },
    overflowed: () => overflowed,
  };
}

const ENCODER = new TextEncoder();

/** The bytes of one event, its blank line included. */
export function writeSse({ event, data }: SseEvent): Uint8Array {
  const name = event === undefined ? '' : `event: ${event.replaceAll(/[\r\n]/g, ' ')}\n`;
  const lines = data.split(/\r\n|\r|\n/).map((line) => `data: ${line}\n`);
  return ENCODER.encode(`${name}${lines.join('')}\n`);
}

/** What is known of the event that is being read. */
interface OpenEvent {
  event: string | undefined;
  readonly data: string[];
  /** Characters so far, comments included: a stream of comments must not grow without bound either. */
  size: number;
}

function openEvent(): OpenEvent {
  return { event: undefined, data: [], size: 0 };
}

function addLine(open: OpenEvent, line: string): void {
  const colon = line.indexOf(':');
  const field = colon === -1 ? line : line.slice(0, colon);
  const value = colon === -1 ? '' : line.slice(line[colon + 1] === ' ' ? colon + 2 : colon + 1);
  open.size += line.length;
  if (field === 'data') open.data.push(value);
  if (field === 'event') open.event = value;
}

function finished({ event, data }: OpenEvent): readonly SseEvent[] {
  if (data.length === 0) return [];
  return [{ ...(event === undefined || event === '' ? {} : { event }), data: data.join('\n') }];
}

/** Lines end with CR, LF or both; a CR and the LF after it may come in different pieces. */
function lineSplitter(limit: number): {
  readonly push: (text: string) => Iterable<string>;
  readonly pending: () => number;
} {
  let pieces: string[] = [];
  let pending = 0;
  let afterCarriageReturn = false;

  const push = function* (text: string): Iterable<string> {
    if (text === '') return;
    let start = afterCarriageReturn && text.startsWith('\n') ? 1 : 0;
    for (const { index, 0: lineEnd } of text.matchAll(/\r\n|\r|\n/g)) {
      if (index < start) continue;
      const line = pieces.join('') + text.slice(start, index);
      start = index + lineEnd.length;
      pieces = [];
      pending = 0;
      yield line;
    }
    afterCarriageReturn = text.endsWith('\r');
    if (start === text.length || pending > limit) return;
    pieces.push(text.slice(start));
    pending += text.length - start;
  };

  return { push, pending: () => pending };
}
