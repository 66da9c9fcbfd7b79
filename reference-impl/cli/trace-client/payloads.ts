import { objectMember, stringMember } from '../../base/members.ts';
import { TraceFailure } from './trace-failure.ts';

/** Cuts text that arrives in pieces into lines, and gives the event of each line that holds one. */
export interface PayloadReader {
  readonly push: (text: string) => readonly string[];
  /** The rest, when the last line had no end. */
  readonly end: () => readonly string[];
}

/**
 * Reads what the server streams and what `--raw` prints alike: `data: {…}` or `{…}` per line. Comments, blank lines
 * and other fields are passed over. Throws a TraceFailure for a line no honest server sends.
 */
export function createPayloadReader(): PayloadReader {
  let rest = '';
  return {
    push: (text) => {
      const lines = (rest + text).split(/\r\n|\n/);
      rest = lines.pop() ?? '';
      if (rest.length > LONGEST_LINE) throw new TraceFailure('failed to read trace stream: an event is too large');
      return lines.flatMap(payload);
    },
    end: () => payload(rest),
  };
}

function payload(line: string): readonly string[] {
  const text = line.startsWith('data:') ? line.slice('data:'.length).replace(/^ /, '') : line;
  return text.startsWith('{') ? [text] : [];
}

/** Characters. A body snapshot is at most a few megabytes. */
const LONGEST_LINE = 64 * 1024 * 1024;

/** The type of the event (TRACE-021), or undefined for what is not an event. */
export function payloadType(text: string): string | undefined {
  try {
    const event: unknown = JSON.parse(text);
    return stringMember(objectMember(event, 'message'), 'type');
  } catch {
    return undefined;
  }
}
