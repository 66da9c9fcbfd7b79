import { objectMember, stringMember } from '../../base/members.ts';
import { TraceFailure } from './trace-failure.ts';

/** Cuts text that arrives in pieces into lines, and gives the event of each line that holds one. */
export interface PayloadReader {
  readonly push: (text: string) => readonly string[];
  /** The rest, when the last line had no end. */
  readonly end: () => readonly string[];
}

/**
 * Reads what the server streams (TRACE-002: server-sent events, whose data may stand in several `data:` lines before a blank one) and what
 * `--raw` prints (`{…}` per line) alike. Comments and other fields are passed over. Each payload is one line. Throws a TraceFailure for a
 * line no honest server sends.
 */
export function createPayloadReader(): PayloadReader {
  let rest = '';
  let data: string[] = [];
  let size = 0;
  const endItem = (): readonly string[] => {
    const payloads = payloadsOf(data);
    data = [];
    size = 0;
    return payloads;
  };
  const readLine = (line: string): readonly string[] => {
    if (line === '') return endItem();
    if (!line.startsWith('data:')) return payload(line);
    data.push(line.slice('data:'.length).replace(/^ /, ''));
    size += line.length;
    return [];
  };
  return {
    push: (text) => {
      const lines = (rest + text).split(/\r\n|\n/);
      rest = lines.pop() ?? '';
      const payloads = lines.flatMap(readLine);
      if (rest.length + size > LONGEST_EVENT)
        throw new TraceFailure('failed to read trace stream: an event is too large');
      return payloads;
    },
    end: () => [...readLine(rest), ...endItem()],
  };
}

/** Of the data lines up to a blank one: one payload, or, where somebody left the blank lines out, one per line. */
function payloadsOf(lines: readonly string[]): readonly string[] {
  // A line feed may stand between the members of an object, and never in a string: a blank says the same on one line.
  const joined = lines.join(' ');
  return lines.length < 2 || isJson(joined) ? payload(joined) : lines.flatMap(payload);
}

function isJson(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}

function payload(text: string): readonly string[] {
  return text.startsWith('{') ? [text] : [];
}

/** Characters. A body snapshot is at most a few megabytes. */
const LONGEST_EVENT = 64 * 1024 * 1024;

/** The type of the event (TRACE-021), or undefined for what is not an event. */
export function payloadType(text: string): string | undefined {
  try {
    const event: unknown = JSON.parse(text);
    return stringMember(objectMember(event, 'message'), 'type');
  } catch {
    return undefined;
  }
}
