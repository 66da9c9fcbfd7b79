import { Buffer } from 'node:buffer';
import type { Format } from '../formats/format.ts';
import { jsonEvent, type StreamEvent } from '../streams/stream-event.ts';
import { repeatedMember } from '../repeated-member.ts';
import { editEventTexts } from './event-texts.ts';

/** Events of a stream that wait until their text is judged. They leave in the order they came. */
export interface HeldEvents {
  readonly add: (event: StreamEvent) => void;
  /** Bytes of text that came since something was judged. */
  readonly unjudged: () => number;
  /** Characters of everything that is held. */
  readonly size: () => number;
  /** The texts that are held, in the order in which their channels began. */
  readonly windows: () => readonly Window[];
  /** How many there are. */
  readonly open: () => number;
  /** Takes out the events that may go, their texts as it was decided. An event without held text follows the others. */
  readonly release: (decisions: ReadonlyMap<Window, Decision>) => readonly StreamEvent[];
}

/** Held text of one channel (a choice, a block), as the provider wrote it. */
export interface Window {
  /** The end of what is gone before. It cannot be taken back, but it may be the beginning of something. */
  readonly context: string;
  readonly pending: string;
}

/** What becomes of the text of a window. */
export interface Decision {
  /** So many characters of `pending` are decided. */
  readonly decided: number;
  /** What the characters from `start` up to `end` of `pending` become; asked once for each piece, in order. */
  readonly written: (start: number, end: number) => string;
}

/** Characters that stay in view after they are gone, and that a match may still reach back into. docs/decisions/prompt-guard.md */
export const OVERLAP = 256;

/** Channels of one stream that are kept in view; a provider could name as many as it likes. */
const MOST_CHANNELS = 1024;

interface Channel extends Window {
  readonly name: string;
  /** Counts the channels of the stream. */
  readonly number: number;
  context: string;
  pending: string;
  /** All that went out, where the format says it once more. */
  sent: string;
  /** Characters of `pending` that go out now. */
  gone: number;
}

interface Held {
  readonly event: StreamEvent;
  readonly pieces: readonly Piece[];
}

interface Piece {
  readonly channel: Channel;
  /** Never empty. */
  readonly text: string;
  /** All of its channel, which is judged already or waits in front of it. */
  readonly repeats: boolean;
}

export function heldEvents(format: Format): HeldEvents {
  const channels = new Map<string, Channel>();
  /** Those of which text is held, and those of which none is: nothing looks at all of them for one event. */
  const waiting = new Set<Channel>();
  const idle = new Set<Channel>();
  let begun = 0;
  const queue: Held[] = [];
  let unjudged = 0;
  let size = 0;

  const pieceOf = (text: string, name: string, repeats: boolean): Piece => {
    const known = channels.get(name);
    if (known !== undefined && repeats) return { channel: known, text, repeats };
    const channel = known ?? { name, number: (begun += 1), context: '', pending: '', sent: '', gone: 0 };
    if (known === undefined && channels.size >= MOST_CHANNELS) forgetIdle();
    channels.set(name, channel);
    channel.pending += text;
    idle.delete(channel);
    waiting.add(channel);
    unjudged += Buffer.byteLength(text);
    return { channel, text, repeats: false };
  };

  /** A Set keeps its members in the order they came, so this is the one that has been idle for the longest time. */
  const forgetIdle = (): void => {
    const [oldest] = idle;
    if (oldest === undefined) return;
    idle.delete(oldest);
    channels.delete(oldest.name);
  };

  const release = (decisions: ReadonlyMap<Window, Decision>): readonly StreamEvent[] => {
    if (decisions.size > 0) unjudged = 0;
    const events: StreamEvent[] = [];
    for (let held = queue[0]; held !== undefined && mayGo(held, decisions); held = queue[0]) {
      queue.shift();
      size -= sizeOf(held.event);
      events.push(rewriteEvent(format, held, decisions));
    }
    for (const channel of waiting) {
      moveOn(channel);
      if (channel.pending !== '') continue;
      waiting.delete(channel);
      idle.add(channel);
    }
    return events;
  };

  return {
    add: (arrived) => {
      const event = withOneMeaning(arrived);
      const pieces: Piece[] = [];
      if (event.json !== undefined) {
        editEventTexts(format, event.json, (text, channel, repeats) => {
          pieces.push(pieceOf(text, channel, repeats));
          return text;
        });
      }
      queue.push({ event, pieces });
      size += sizeOf(event);
    },
    unjudged: () => unjudged,
    size: () => size,
    windows: () => [...waiting].toSorted((one, other) => one.number - other.number),
    open: () => waiting.size,
    release,
  };
}

/** What is judged is what the client gets, also where another reader would take the other of two members. */
function withOneMeaning(event: StreamEvent): StreamEvent {
  const { json, data, name } = event;
  return json === undefined || data === undefined || repeatedMember(data) === undefined ? event : jsonEvent(json, name);
}

/** Characters, or bytes of what says nothing. */
function sizeOf({ data, bytes }: StreamEvent): number {
  return data?.length ?? bytes.length;
}

function mayGo({ pieces }: Held, decisions: ReadonlyMap<Window, Decision>): boolean {
  return pieces.every(
    ({ channel, text, repeats }) => repeats || channel.gone + text.length <= (decisions.get(channel)?.decided ?? 0),
  );
}

function rewriteEvent(format: Format, { event, pieces }: Held, decisions: ReadonlyMap<Window, Decision>): StreamEvent {
  const { name, json } = event;
  const texts = pieces.map((piece) => sentText(format, piece, decisions));
  if (json === undefined || texts.every((text, index) => text === pieces[index]?.text)) return event;
  let next = 0;
  return jsonEvent(
    editEventTexts(format, json, (text) => texts[next++] ?? text),
    name,
  );
}

function sentText(format: Format, { channel, text, repeats }: Piece, decisions: ReadonlyMap<Window, Decision>): string {
  if (repeats) return channel.sent;
  const start = channel.gone;
  channel.gone += text.length;
  const written = decisions.get(channel)?.written(start, channel.gone) ?? text;
  if (format.name === 'responses') channel.sent += written;
  return written;
}

function moveOn(channel: Channel): void {
  const { context, pending, gone } = channel;
  if (gone === 0) return;
  channel.context = (context + pending.slice(0, gone)).slice(-OVERLAP);
  channel.pending = pending.slice(gone);
  channel.gone = 0;
}
