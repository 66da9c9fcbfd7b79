/** One server-sent event as a client sees it: its name, and its data as JSON where it is JSON. */
export interface SeenEvent {
  readonly event?: string;
  readonly data: unknown;
}

// Not eventsource-parser: it waits for what may follow a carriage return, so the last event of a stream that ends its lines with
// them alone would not be seen.

/** The events in the text of a stream. One that lacks its blank line was not delivered and does not count. */
export function eventsOf(text: string): readonly SeenEvent[] {
  const blocks = text.split(/\r\n\r\n|\n\n|\r\r/).slice(0, -1);
  return blocks.flatMap((block) => {
    const lines = block.split(/\r\n|\n|\r/).map(fieldOf);
    const data = lines.filter(([field]) => field === 'data').map(([, value]) => value);
    const event = lines.findLast(([field]) => field === 'event')?.[1];
    if (data.length === 0) return [];
    return [{ ...(event === undefined ? {} : { event }), data: parseData(data.join('\n')) }];
  });
}

function fieldOf(line: string): readonly [field: string, value: string] {
  const colon = line.indexOf(':');
  if (colon === -1) return [line, ''];
  const value = line.slice(colon + 1);
  return [line.slice(0, colon), value.startsWith(' ') ? value.slice(1) : value];
}

function parseData(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return text; // `[DONE]`, or what a proxy broke: a case sees it as it came
  }
}
