import { Buffer } from 'node:buffer';
import { receivedEvent, type StreamEvent } from './stream-event.ts';
import type { EventCutter, StreamForm } from './stream-form.ts';
import { LINE_END } from './write-sse.ts';

// Not eventsource-parser: it can be bounded, but it reads text and does not say which bytes an event was.
export const serverSentEvents: StreamForm = { contentType: 'text/event-stream', cutter: () => sseCutter() };

/** Bytes that one event may have, comments before it included. */
const MAX_EVENT_BYTES = 4 * 1024 * 1024;

/** Bytes that are not UTF-8 are U+FFFD in what an event says, and stay what they are in its bytes. */
export function sseCutter(limit: number = MAX_EVENT_BYTES): EventCutter {
  const blocks = blockSplitter();
  let first = true;
  let failed = false;

  const eventsOf = (complete: readonly Block[]): readonly StreamEvent[] => {
    const events: StreamEvent[] = [];
    for (const { bytes, size } of complete) {
      if (size > limit) failed = true;
      if (failed) break;
      events.push(eventIn(bytes, first));
      first = false;
    }
    failed ||= blocks.pending() > limit;
    if (failed) blocks.forget();
    return events;
  };

  return {
    push: (bytes) => (failed ? [] : eventsOf(blocks.push(bytes))),
    // An event that only misses its blank line counts: providers end streams without one.
    end: () => (failed ? [] : eventsOf(blocks.end())),
    failure: () => (failed ? 'an event of the provider is too large' : undefined),
  };
}

/** Lines up to a blank one, and that one. */
interface Block {
  readonly bytes: Buffer;
  /** Bytes without its blank line. */
  readonly size: number;
}

const LF = 10;
const CR = 13;

/** Lines end with CR, LF or both; an LF that comes later than its CR is the first byte of the next block. */
function blockSplitter(): {
  readonly push: (bytes: Uint8Array) => readonly Block[];
  readonly end: () => readonly Block[];
  /** Bytes of the block that is not complete. */
  readonly pending: () => number;
  readonly forget: () => void;
} {
  let pieces: Buffer[] = [];
  let pending = 0;
  let lineIsEmpty = true;
  let afterCarriageReturn = false;

  const take = (last: Buffer): Buffer => {
    const bytes = pieces.length === 0 ? last : Buffer.concat([...pieces, last]);
    pieces = [];
    pending = 0;
    return bytes;
  };

  const push = (chunk: Uint8Array): readonly Block[] => {
    const blocks: Block[] = [];
    if (chunk.byteLength === 0) return blocks;
    const bytes = Buffer.isBuffer(chunk) ? chunk : Buffer.from(chunk.buffer, chunk.byteOffset, chunk.byteLength);
    const nextLineEnd = lineEndsIn(bytes);
    let start = 0;
    let at = afterCarriageReturn && bytes[0] === LF ? 1 : 0;
    // The rest of the blank line before it is no part of a block.
    let from = pieces.length === 0 ? at : 0;
    for (let end = nextLineEnd(at); end !== -1; end = nextLineEnd(at)) {
      const isBlank = lineIsEmpty && end === at;
      lineIsEmpty = true;
      at = end + (bytes[end] === CR && bytes[end + 1] === LF ? 2 : 1);
      if (!isBlank) continue;
      const size = pending + end - from;
      blocks.push({ bytes: take(part(bytes, start, at)), size });
      start = at;
      from = at;
    }
    lineIsEmpty &&= at === bytes.length;
    afterCarriageReturn = bytes.at(-1) === CR;
    if (start === bytes.length) return blocks;
    pieces.push(part(bytes, start, bytes.length));
    pending += bytes.length - from;
    return blocks;
  };

  const end = (): readonly Block[] => (pieces.length === 0 ? [] : [{ size: pending, bytes: take(Buffer.alloc(0)) }]);

  return {
    push,
    end,
    pending: () => pending,
    forget: () => {
      take(Buffer.alloc(0));
    },
  };
}

/** Most pieces that come are one whole event. */
function part(bytes: Buffer, start: number, end: number): Buffer {
  return start === 0 && end === bytes.length ? bytes : bytes.subarray(start, end);
}

/** Where the next line ends, asked from the front to the back; -1 when it does not end here. */
function lineEndsIn(bytes: Buffer): (from: number) => number {
  let carriageReturn = bytes.indexOf(CR);
  return (from) => {
    if (carriageReturn !== -1 && carriageReturn < from) carriageReturn = bytes.indexOf(CR, from);
    const lineFeed = bytes.indexOf(LF, from);
    if (carriageReturn === -1 || lineFeed === -1) return Math.max(carriageReturn, lineFeed);
    return Math.min(carriageReturn, lineFeed);
  };
}

const BYTE_ORDER_MARK = '\uFEFF';

function eventIn(bytes: Buffer, isFirst: boolean): StreamEvent {
  const text = bytes.toString('utf8');
  const data: string[] = [];
  let name: string | undefined;
  for (const line of (isFirst && text.startsWith(BYTE_ORDER_MARK) ? text.slice(1) : text).split(LINE_END)) {
    const colon = line.indexOf(':');
    const field = colon === -1 ? line : line.slice(0, colon);
    const value = colon === -1 ? '' : line.slice(line[colon + 1] === ' ' ? colon + 2 : colon + 1);
    if (field === 'data') data.push(value);
    if (field === 'event') name = value === '' ? undefined : value;
  }
  return receivedEvent({ bytes, name, data: data.length === 0 ? undefined : data.join('\n') });
}
